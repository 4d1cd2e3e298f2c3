#!/usr/bin/env -S bun --no-env-file
/** The `skein` command, under the name that scripts and images start. */
import './skein.js';
