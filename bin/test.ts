import 'reflect-metadata'

import { assert } from '@japa/assert'
import { apiClient } from '@japa/api-client'
import { configure, processCLIArgs, run } from '@japa/runner'
import { spec } from '@japa/runner/reporters'

import { closingLine } from '#tests/helpers/closing_line'
import { shutDown } from '#tests/helpers/application'
import { SUITES, suitesAskedFor } from '#tests/helpers/suites'
import { testDatabase } from '#tests/helpers/test_database'
import { testEnvironment } from '#tests/helpers/test_environment'

const args = process.argv.slice(2)
const asked = suitesAskedFor(args)

testEnvironment()
const database = await testDatabase()

processCLIArgs([...asked.names, ...asked.flags])
configure({
  suites: SUITES,
  plugins: [assert(), apiClient()],
  reporters: { activated: ['spec', 'closing line'], list: [spec(), closingLine()] },
  timeout: 30_000,
  importer: importAnew(),
  teardown: [shutDown, () => database.stop()],
})
await run()

/** A file that belongs to two suites must be evaluated for each, so the second import gets an address of its own. */
function importAnew() {
  const imports = new Map<string, number>()
  return async (file: URL) => {
    const count = imports.get(file.href) ?? 0
    imports.set(file.href, count + 1)
    await import(count === 0 ? file.href : `${file.href}?suite=${count}`)
  }
}
