echo out
