#!/usr/bin/env node
// Every Node must be able to read this file.
if (process.getBuiltinModule === undefined || process.platform === 'win32') require('./unsupported.js')();
else require('./launch.js').launch('claude-iterate', require('./orchestrate.js'));
