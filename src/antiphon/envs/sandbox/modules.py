"""What generated code may import: pure computation. All else is out of reach, because no file can be opened."""

from __future__ import annotations
import __future__

import _strptime  # pyright: ignore[reportMissingImports]  a part of datetime, without stubs
import abc
import base64
import bisect
import calendar
import collections
import collections.abc
import contextlib
import copy
import dataclasses
import datetime
import decimal
import difflib
import encodings.ascii
import encodings.latin_1
import encodings.utf_8
import enum
import fractions
import functools
import hashlib
import heapq
import itertools
import json
import math
import numbers
import operator
import random
import re
import statistics
import string
import textwrap
import time
import types
import typing
import unicodedata

MODULES = (
    __future__, _strptime, abc, base64, bisect, calendar, collections, collections.abc, contextlib, copy, dataclasses, datetime, decimal, difflib, encodings.ascii, encodings.latin_1, encodings.utf_8, enum, fractions, functools, hashlib, heapq, itertools, json, math, numbers, operator, random, re, statistics, string, textwrap, time, types, typing, unicodedata,
)  # fmt: skip
