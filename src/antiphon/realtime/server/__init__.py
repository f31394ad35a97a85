"""Sessions over sockets and WebRTC: who may come in, how many, coming back, and how it ends."""
