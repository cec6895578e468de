/*
 * Lets Node.js run the TypeScript sources: "--import" this file. Compiled files are cached below node_modules, which
 * halves the start time of each process of a test run.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, enableCompileCache, registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const cache = join(root, 'node_modules/.cache/typescript')
const require = createRequire(import.meta.url)

const options = {
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'esnext',
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: {
      legacyDecorator: true,
      decoratorMetadata: true,
      useDefineForClassFields: true,
    },
    experimental: { keepImportAttributes: true },
    keepClassNames: true,
  },
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const aliases = Object.entries(manifest.imports ?? {}).map(([alias, path]) => [
  alias.replace('*', ''),
  new URL(`../../${path.replace('*.js', '')}`, import.meta.url).href,
])

enableCompileCache(join(root, 'node_modules/.cache/compiled'))
process.setSourceMapsEnabled(true)
registerHooks({ resolve, load })
if (manifest.dependencies?.['reflect-metadata']) {
  // Decorators of services read the types of their constructors.
  await import('reflect-metadata')
}

/** Sources import each other by the names of their output. */
function resolve(specifier, context, next) {
  const url = context.parentURL && sourceUrl(specifier, context.parentURL)
  return url ? { url, format: 'module-typescript', shortCircuit: true } : next(specifier, context)
}

function sourceUrl(specifier, parent) {
  const url = addressOf(specifier, parent)
  if (!url?.pathname.endsWith('.js') || url.pathname.includes('/node_modules/')) {
    return undefined
  }
  url.pathname = url.pathname.replace(/\.js$/, '.ts')
  return existsSync(url) ? url.href : undefined
}

function addressOf(specifier, parent) {
  if (/^(\.|file:)/.test(specifier)) {
    return new URL(specifier, parent)
  }
  const alias = aliases.find(([prefix]) => specifier.startsWith(prefix))
  return alias && new URL(`${specifier.slice(alias[0].length)}.js`, alias[1])
}

function load(url, context, next) {
  if (context.format !== 'module-typescript') {
    return next(url, context)
  }
  return { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true }
}

function compiled(file) {
  const source = readFileSync(file, 'utf8')
  const stamp = `//# sourceHash=${createHash('sha1').update(source).digest('hex')}\n`
  const cached = join(cache, `${createHash('sha1').update(file).digest('hex')}.js`)
  const previous = existsSync(cached) ? readFileSync(cached, 'utf8') : ''
  if (previous.endsWith(stamp)) {
    return previous
  }
  const output = require('@swc/core').transformSync(source, { filename: file, ...options })
  const code = `${output.code}\n${stamp}`
  writeCache(cached, code)
  return code
}

/** Writes atomically, since several processes may compile the same file. Without write permission there is no cache. */
function writeCache(file, code) {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(cache, { recursive: true })
    writeFileSync(draft, code)
    renameSync(draft, file)
  } catch (error) {
    if (!['EACCES', 'EROFS'].includes(error.code)) {
      throw error
    }
  }
}
