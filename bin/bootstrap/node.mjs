import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from './failure.mjs'

const major = 24

/** The Node.js of the hub: the current one if it is new enough, else the one that npm installed. */
export function findNode(root) {
  if (Number.parseInt(process.versions.node) >= major && existsSync(process.execPath)) {
    return process.execPath
  }
  return findInstalledNode(root)
}

/** The Node.js that npm installed. */
export function findInstalledNode(root) {
  const installed = join(
    root,
    'node_modules',
    `node-${process.platform}-${process.arch}`,
    'bin/node'
  )
  if (existsSync(installed)) {
    return installed
  }
  throw new Failure(
    `The hub needs Node.js ${major}, this is ${process.version}, and npm has none for ` +
      `${process.platform}-${process.arch}: install Node.js ${major} and start again.`
  )
}
