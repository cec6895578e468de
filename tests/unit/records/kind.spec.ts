import { test } from '@japa/runner'
import type { DateTime } from 'luxon'

import { Kind } from '#records/kind'
import type { KindDefinition } from '#records/kind_definition'
import { checkDeclaration } from '#query/check_declaration'
import { column } from '#records/column'
import { RecordModel } from '#records/model'
import { PreparedStatements } from '#records/prepared_statements'

class Thing extends RecordModel {
  static override table = 'things'

  @column.uuid() declare id: string
  @column.text({ secret: true }) declare accountSecret: string
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
}

const definition: KindDefinition<typeof Thing> = {
  name: 'registryProject',
  collection: '/registry-projects',
  filters: ['id'],
  sorts: ['createdAt'],
  indexes: [['id'], ['createdAt']],
  access: {},
}

test.group('Declarations of kinds', () => {
  test('declarations show every column except secrets, which must be selected', ({ assert }) => {
    const { declaration } = new Kind(Thing, definition)
    assert.deepEqual(declaration.fields!.default, ['id', 'createdAt', 'updatedAt'])
    assert.deepEqual(declaration.fields!.allowed, ['id', 'createdAt', 'updatedAt', 'accountSecret'])
  })

  test('declarations are named in kebab-case in messages', ({ assert }) => {
    assert.equal(new Kind(Thing, definition).label, 'registry-project')
  })

  test('declarations have no body validator if no caller may write', ({ assert }) => {
    const { createBody, updateBody } = new Kind(Thing, definition)
    assert.isUndefined(createBody)
    assert.isUndefined(updateBody)
  })

  test('declarations are rejected if they offer a key without an index or a secret as a filter', ({
    assert,
  }) => {
    const careless = new Kind(Thing, {
      ...definition,
      filters: ['id', 'updatedAt', 'accountSecret'],
    })
    const problems = checkDeclaration(careless.declaration).join('\n')
    assert.include(problems, 'updatedAt')
    assert.include(problems, 'accountSecret is secret')
  })
})

test.group('Prepared statements', () => {
  const statement = (name: string) => ({ name, text: `select '${name}'`, values: [] })

  test('a statement is named after several uses', ({ assert }) => {
    const shapes = new PreparedStatements()
    const names = Array.from({ length: 5 }, () => shapes.prepare(statement('a')).name)
    assert.deepEqual(names, [undefined, undefined, undefined, undefined, 'a'])
  })

  test('the number of names is bounded', ({ assert }) => {
    const shapes = new PreparedStatements()
    const named = Array.from({ length: 400 }, (_, index) => {
      const used = Array.from({ length: 6 }, () => shapes.prepare(statement(`s${index}`)).name)
      return used.at(-1)
    })
    assert.lengthOf(named.filter(Boolean), 256)
  })
})
