import { test } from '@japa/runner'

import { checkDeclaration } from '#query/check_declaration'
import type { Declaration } from '#query/declaration'

import { storedDeclarations } from './declarations.js'
import { specimen } from './specimens.js'

const sound: Declaration = {
  name: 'kind',
  table: 'kinds',
  properties: {
    id: { type: 'uuid' },
    name: { type: 'text' },
    ownerId: { type: 'uuid' },
    password: { type: 'text', secret: true },
  },
  indexes: [['id'], ['name', 'ownerId'], ['ownerId']],
  fields: { default: ['id', 'name'], allowed: ['id', 'name', 'password'] },
  filters: { allowed: ['id', 'name', 'ownerId'] },
  sorts: { allowed: ['name'], default: { name: 'ASC' } },
  relations: {
    allowed: ['owner'],
    links: { owner: { target: () => sound, local: 'ownerId', foreign: 'id' } },
  },
}

test.group('Check of a declaration', () => {
  test('a sound declaration has nothing wrong', ({ assert }) => {
    const declarations = [sound, specimen, ...Object.values(storedDeclarations())]
    assert.deepEqual(declarations.flatMap(checkDeclaration), [])
  })

  test('{0} is reported')
    .with([
      [
        'a filter that leads no index',
        { indexes: [['id'], ['name', 'ownerId']] },
        /filter ownerId/,
      ],
      ['a sort that leads no index', { sorts: { allowed: ['password'] } }, /sort password/],
      [
        'a default sort that is not offered',
        { sorts: { allowed: [], default: { name: 'ASC' } } },
        /default sort name/,
      ],
      ['a filter that is secret', { filters: { allowed: ['password'] } }, /password is secret/],
      ['a sort that is secret', { sorts: { allowed: ['password'] } }, /password is secret/],
      [
        'an index on a secret',
        { indexes: [['id'], ['name'], ['ownerId'], ['password']] },
        /password is secret/,
      ],
      [
        'a secret among the default fields',
        { fields: { default: ['password'] } },
        /password is secret/,
      ],
      ['a field that is no property', { fields: { default: ['nme'] } }, /nme/],
      ['a relation without a link', { relations: { allowed: ['owner'] } }, /relation owner/],
      [
        'a link that starts nowhere',
        { relations: { links: { owner: { target: () => sound, local: 'nope', foreign: 'id' } } } },
        /starts at nope/,
      ],
      [
        'a link that ends nowhere',
        {
          relations: {
            links: { owner: { target: () => sound, local: 'ownerId', foreign: 'nope' } },
          },
        },
        /ends at nope/,
      ],
      ['a missing primary key', { primaryKey: 'key' }, /primary key key/],
      [
        'a primary key that may be absent',
        { properties: { ...sound.properties, id: { type: 'uuid', nullable: true } } },
        /cannot be nullable/,
      ],
    ] as [string, Partial<Declaration>, RegExp][])
    .run(({ assert }, [, change, told]) => {
      assert.match(checkDeclaration({ ...sound, ...change }).join('\n'), told)
    })
})
