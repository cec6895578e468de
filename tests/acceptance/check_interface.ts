/*
 * Lists interface statements without a test, and tests whose title names no statement. Both lists must be empty.
 */
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

import {
  readStatements,
  sectionOf,
  testedIn,
  type Misnamed,
  type Statement,
} from '#tests/acceptance/interface/coverage'

const folder = fileURLToPath(new URL('./interface/', import.meta.url))
const statements = readStatements()
const tested = new Set<string>()
const misnamed: Misnamed[] = []

for (const file of globSync('**/*.spec.ts', { cwd: folder }).sort()) {
  const found = testedIn(file, readFileSync(join(folder, file), 'utf8'), statements)
  found.tested.forEach((id) => tested.add(id))
  misnamed.push(...found.misnamed)
}

const open = statements.filter(({ id }) => !tested.has(id))
printOpen(open)
for (const { file, line, reason } of misnamed) {
  console.error(`tests/acceptance/interface/${file}:${line}: ${reason}`)
}
console.log(`${tested.size} of ${statements.length} statements tested, ${open.length} open`)
process.exitCode = misnamed.length > 0 || open.length > 0 ? 1 : 0

function printOpen(untested: Statement[]): void {
  for (const [section, members] of Map.groupBy(untested, sectionOf)) {
    console.log(section)
    for (const { id, title } of members) {
      console.log(`  ${id.slice(section.length + 1).padEnd(7)} ${title}`)
    }
    console.log()
  }
}
