import { readFileSync, writeFileSync } from 'node:fs'
import { renderExample, renderGuide } from '#configuration/documentation'
import { catalogue } from '#start/env'

import { withLineLinks } from './line_links.js'

const ARCHITECTURE = 'docs/architecture.md'

/** Writes what follows from the catalogue and from where code stands, below the working directory; `--check` only compares. */
const files = {
  'docs/configuration.md': renderGuide(catalogue),
  '.env.example': renderExample(catalogue),
  ...linked(ARCHITECTURE),
}

const outdated = Object.entries(files).filter(([file, content]) => current(file) !== content)

if (process.argv.includes('--check')) {
  for (const [file] of outdated) {
    console.error(`${file} is out of date`)
  }
  if (outdated.length > 0) {
    console.error('Run "node --import=@poppinss/ts-exec bin/generate_docs.ts" to write it again.')
    process.exitCode = 1
  }
} else {
  for (const [file, content] of outdated) {
    writeFileSync(file, content)
    console.log(`${file} written`)
  }
  if (outdated.length === 0) {
    console.log('Everything is up to date.')
  }
}

function current(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

function linked(file: string): Record<string, string> {
  const page = current(file)
  return page === undefined ? {} : { [file]: withLineLinks(page, file) }
}
