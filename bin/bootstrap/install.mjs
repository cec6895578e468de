import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { Failure, report } from './failure.mjs'
import { withNpmCache } from './npm_cache.mjs'
import { runStep } from './processes.mjs'

const exactly = ['ci', '--include=dev', '--include=optional', '--ignore-scripts']
const calmly = ['--engine-strict=false', '--loglevel=error', '--no-audit', '--no-fund']

/** Whether node_modules matches package-lock.json, however it was installed. */
export function isInstalled(root) {
  const wanted = read(join(root, 'package-lock.json'))
  const present = read(join(root, 'node_modules/.package-lock.json'))
  if (wanted === undefined) {
    throw new Failure(`There is no package-lock.json in ${root}: clone the repository again.`)
  }
  if (present === undefined) {
    return false
  }
  const stamp = stampOf(wanted, present)
  if (read(stampFile(root)) === stamp) {
    return true
  }
  if (!satisfies(JSON.parse(present).packages, JSON.parse(wanted).packages)) {
    return false
  }
  writeStamp(root, stamp)
  return true
}

/** Installs exactly what package-lock.json lists, without install scripts. */
export async function install(root) {
  report(
    'Installing dependencies with npm ci. Warnings of npm about the version of Node.js are harmless: ' +
      'the hub brings its own Node.js 24.'
  )
  await withNpmCache(async (cache) => {
    const env = { ...process.env, ...cache, PATH: pathWithout(join(root, 'node_modules/.bin')) }
    const options = { cwd: root, env, stdio: ['ignore', 2, 2] }
    await runStep(
      'npm',
      [...exactly, ...calmly],
      options,
      'The dependencies could not be installed; npm says why above.'
    )
  })
  writeStamp(
    root,
    stampOf(
      read(join(root, 'package-lock.json')),
      read(join(root, 'node_modules/.package-lock.json'))
    )
  )
}

/** npm must not run on the Node.js that it replaces. */
function pathWithout(folder) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.filter((entry) => entry !== folder).join(delimiter)
}

/** Whether all packages are installed; optional ones only if the project itself requires them on this machine. */
function satisfies(present, wanted) {
  const needed = new Set(
    Object.keys(wanted['']?.optionalDependencies ?? {}).map((name) => `node_modules/${name}`)
  )
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) {
      return true
    }
    const found = present[path]
    if (!found) {
      return Boolean(entry.optional) && !(needed.has(path) && isForThisMachine(entry))
    }
    return (
      found.version === entry.version &&
      found.integrity === entry.integrity &&
      found.resolved === entry.resolved
    )
  })
}

function isForThisMachine({ os = [process.platform], cpu = [process.arch] }) {
  return os.includes(process.platform) && cpu.includes(process.arch)
}

function stampOf(wanted, present) {
  return createHash('sha256').update(wanted).update('\0').update(present).digest('hex')
}

function stampFile(root) {
  return join(root, 'node_modules/.bootstrap-stamp')
}

function writeStamp(root, stamp) {
  try {
    writeFileSync(stampFile(root), stamp)
  } catch {
    // Without the stamp, the next start compares the packages again.
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') {
      return undefined
    }
    throw error
  }
}
