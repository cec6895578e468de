#!/usr/bin/env node
/*
 * Starts hub-node. Builds the program if needed, and continues on the Node.js of the hub if this one is older.
 */
import { runHere } from '../../bin/bootstrap/run_here.mjs'

await runHere('build/bin/hub_node.js', process.argv.slice(2))
