import { readFile } from 'node:fs/promises'

import { test } from '@japa/runner'

import { SERVICES } from '#adopt/transfer'
import { MYSQL, POSTGRES } from '#tests/former/dialect'
import { createStatement, tablesOf } from '#tests/former/schema'

const LIST = new URL('../../former/tables.md', import.meta.url)

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

test.group('The installation of the former platform', () => {
  for (const [name, dialect] of Object.entries({ POSTGRES, MYSQL })) {
    test(`the installation has every key that is listed (${name})`, async ({ assert }) => {
      const listed = await readFile(LIST, 'utf8')
      const statements = SERVICES.flatMap((service) =>
        tablesOf(service).map((table) => createStatement(table, dialect))
      ).join('\n')
      assert.isAbove(count(listed, /fk \(/g), 0)
      assert.equal(count(statements, /foreign key \(/g), count(listed, /fk \(/g))
      assert.equal(count(statements, /unique \(/g), count(listed, /unique \(/g))
    })
  }
})
