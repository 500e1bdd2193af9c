#!/usr/bin/env node
require('./launch.js').launch('orchestrate');
