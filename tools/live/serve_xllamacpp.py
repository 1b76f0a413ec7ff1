"""serve_xllamacpp.py MODEL PORT ALIAS TEMPLATE STOP...: the server of llama.cpp on this machine's own address, one thread, until it is told to end.
A reply ends before one of the texts STOP: models of this size go on behind their turn."""

import pathlib
import signal
import sys

import xllamacpp

model, port, alias, template, *stops = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.model_alias = {alias}
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.ui = False
params.n_ctx = 4096
params.n_parallel = 1
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.chat_template = pathlib.Path(template).read_text()
params.antiprompt = stops
server = xllamacpp.Server(params)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
