import 'reflect-metadata'

import { readFileSync, writeFileSync } from 'node:fs'
import { renderExample, renderGuide } from '#configuration/documentation'
import { catalogue } from '#configuration/hub_catalogue'

import { withFindings } from './finding_table.js'
import { withIncludedFiles } from './included_files.js'
import { withLifeDiagrams } from './lifecycle_diagrams.js'
import { withLineLinks } from './line_links.js'
import { renderCommands } from './reference/commands.js'
import { renderEndpoints } from './reference/endpoints.js'
import { renderInterfaceTypes } from './reference/interface_types.js'
import { renderPermissions } from './reference/permissions.js'
import { loadSettings } from '#runtime/application'

const ARCHITECTURE = 'docs/architecture.md'
const ANALYSES = 'docs/analyses.md'
const DEPLOYING = 'docs/deploying.md'
const DOCTOR = 'docs/doctor.md'
const INTERFACE_TYPES = 'packages/client/src/interface.ts'
const SERVER = 'docs/server.md'

await loadSettings()

/**
 * Generates documentation and the types of the interface from the catalogue, routes, commands, source locations, the lifecycle of analyses and the
 * files of `deploy`; `--check` only compares.
 */
const files = {
  'docs/configuration.md': renderGuide(catalogue),
  '.env.example': renderExample(catalogue),
  'docs/endpoints.md': await renderEndpoints(),
  'docs/commands.md': await renderCommands(),
  'docs/permissions.md': renderPermissions(),
  [INTERFACE_TYPES]: await renderInterfaceTypes(INTERFACE_TYPES),
  ...rewritten(ARCHITECTURE, withLineLinks),
  ...rewritten(ANALYSES, withLifeDiagrams),
  ...rewritten(DEPLOYING, withIncludedFiles),
  ...rewritten(DOCTOR, withFindings),
  ...rewritten(SERVER, withIncludedFiles),
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

function rewritten(
  file: string,
  write: (page: string, file: string) => string
): Record<string, string> {
  const page = current(file)
  return page === undefined ? {} : { [file]: write(page, file) }
}
