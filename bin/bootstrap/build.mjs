import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { report } from './failure.mjs'
import { runStep } from './processes.mjs'

const configuration = 'tsconfig.build.json'
const alsoRelevant = ['package.json', 'package-lock.json', 'tsconfig.json', configuration]

/** Whether the build is complete and matches the current sources. */
export function isBuilt(root) {
  const sources = listSources(root)
  return readStamp(root) === fingerprint(root, sources) && isComplete(root, sources)
}

/** Compiles changed sources and removes the output of deleted ones. */
export async function build(root, node) {
  report('Building the hub. The first time, this takes about half a minute.')
  const sources = listSources(root)
  const stamp = fingerprint(root, sources)
  rmSync(stampFile(root), { force: true })
  const assets = [...sources.filter((source) => !isCompiled(source)), 'package.json']
  for (const asset of assets) {
    copy(root, asset)
  }
  await compile(root, node)
  if (!isComplete(root, sources)) {
    // The incremental compiler does not notice deleted output.
    rmSync(join(root, 'build/.tsbuildinfo'), { force: true })
    await compile(root, node)
  }
  removeStale(root, sources)
  writeFileSync(join(root, 'build/commit'), commitOf(root))
  writeFileSync(stampFile(root), stamp)
}

/** Empty outside of git. */
function commitOf(root) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const isModified = git('status', '--porcelain', '--untracked-files=no').length > 0
    return `${git('rev-parse', 'HEAD').toString().trim()}${isModified ? '-modified' : ''}`
  } catch {
    return ''
  }
}

async function compile(root, node) {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const options = { cwd: root, stdio: ['ignore', 2, 2] }
  await runStep(
    node,
    [compiler, '--project', configuration],
    options,
    'The build failed; the errors are above.'
  )
}

/** All files of the build, relative to the root. */
function listSources(root) {
  const { include, exclude = [] } = JSON.parse(readFileSync(join(root, configuration), 'utf8'))
  const files = include.flatMap((entry) => listFiles(root, entry))
  return files.filter((file) => !exclude.includes(file) && !file.endsWith('.mjs')).sort()
}

function listFiles(root, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false })
  if (!found?.isDirectory()) {
    return found ? [path] : []
  }
  const visible = readdirSync(join(root, path)).filter((name) => !name.startsWith('.'))
  return visible.flatMap((name) => listFiles(root, join(path, name)))
}

function fingerprint(root, sources) {
  const hash = createHash('sha256')
  for (const file of [...alsoRelevant, ...sources]) {
    hash.update(`${file}\0`)
    hash.update(readFileSync(join(root, file)))
    hash.update('\0')
  }
  return hash.digest('hex')
}

function isCompiled(source) {
  return source.endsWith('.ts') && !source.endsWith('.d.ts')
}

function outputOf(source) {
  return join('build', isCompiled(source) ? source.replace(/\.ts$/, '.js') : source)
}

function isComplete(root, sources) {
  return sources.every((source) => existsSync(join(root, outputOf(source))))
}

function removeStale(root, sources) {
  const outputs = sources.map((source) => outputOf(source))
  const expected = new Set([...outputs, ...outputs.map((output) => `${output}.map`)])
  const folders = new Set(sources.map((source) => source.split('/')[0]))
  const present = [...folders].flatMap((folder) => listFiles(root, join('build', folder)))
  for (const file of present) {
    if (!expected.has(file)) {
      rmSync(join(root, file))
    }
  }
}

function copy(root, file) {
  mkdirSync(dirname(join(root, 'build', file)), { recursive: true })
  copyFileSync(join(root, file), join(root, 'build', file))
}

function stampFile(root) {
  return join(root, 'build/.stamp')
}

function readStamp(root) {
  return existsSync(stampFile(root)) ? readFileSync(stampFile(root), 'utf8') : undefined
}
