import { hasMany } from '@adonisjs/lucid/orm'
import type { BelongsTo, HasMany } from '@adonisjs/lucid/types/relations'
import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import { Node, node } from '#core/nodes/node'
import { Registry } from '#core/registries/registry'
import { assignment } from '#identity/embedded/assignment'
import { userRole } from '#identity/user_roles/user_role'
import { body } from '#kernel/body'
import { checkDeclaration } from '#query/check_declaration'
import { column } from '#records/column'
import { defineKind, Kind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import type { Row } from '#records/row'
import { allKinds } from '#tests/helpers/records/all_kinds'

const KINDS = {
  core: [
    'analysis',
    'analysisBucket',
    'analysisBucketFile',
    'analysisNode',
    'analysisNodeEvent',
    'masterImage',
    'masterImageGroup',
    'node',
    'project',
    'projectNode',
    'registry',
    'registryProject',
  ],
  identity: [
    'client',
    'clientPermission',
    'clientRole',
    'clientScope',
    'identityProvider',
    'permission',
    'policy',
    'realm',
    'role',
    'rolePermission',
    'scope',
    'user',
    'userPermission',
    'userRole',
  ],
  storage: ['bucket', 'bucketFile'],
  telemetry: ['event'],
  messenger: [],
}

class Label extends RecordModel {
  static override table = 'labels'

  @column.uuid() declare id: string
  @column.text({ nullable: true }) declare color: string | null
  @column.uuid() declare nodeId: string

  @belongsTo(() => Node, { foreignKey: 'nodeId', onDelete: 'cascade' })
  declare node: BelongsTo<typeof Node>
  @hasMany(() => Registry, { foreignKey: 'id', localKey: 'id' })
  declare registries: HasMany<typeof Registry>
}

const label = { name: 'label', collection: '/labels', indexes: [['id']], access: {} } as const

test.group('Models of all kinds', () => {
  for (const [surface, names] of Object.entries(KINDS)) {
    test(`the kinds of ${surface} are known, and read its database`, ({ assert }) => {
      const served = allKinds.filter((each) => each.surface === surface)
      assert.sameMembers(
        served.map(({ kind }) => kind.name),
        names
      )
      assert.isTrue(served.every(({ kind }) => kind.model.connection === surface))
    })
  }

  test('models are named after their kind, without duplicates', ({ assert }) => {
    for (const { kind } of allKinds) {
      assert.equal(kind.model.name.toLowerCase(), kind.name.toLowerCase())
    }
  })

  test('hide on the model what answers hide', ({ assert }) => {
    for (const { kind } of allKinds) {
      for (const [name, { secret, internal }] of Object.entries(kind.columns)) {
        const { serializeAs } = kind.model.$getColumn(name)!
        assert.equal(serializeAs, secret || internal ? null : name, `${kind.name}.${name}`)
      }
    }
  })

  test('relations to one record are those of queries, others only of the model', ({ assert }) => {
    const { relations, columns } = new Kind(Label, label)
    assert.deepEqual(Object.keys(relations), ['node'])
    assert.deepEqual(Object.keys(columns), ['id', 'color', 'nodeId'])
    assert.equal(relations.node!.to(), node)
    assert.equal(relations.node!.onDelete, 'cascade')
  })
})

test.group('Models and the compiler', () => {
  test('a nullable that disagrees with its property does not compile', ({ assert }) => {
    class Careless extends RecordModel {
      // @ts-expect-error -- null in the database, not in the property
      @column.text({ nullable: true }) declare promised: string
      // @ts-expect-error -- null in the property, not in the database
      @column.text() declare doubted: string | null
      // @ts-expect-error -- a number in the database
      @column.integer() declare text: string
      // @ts-expect-error -- one of two
      @column.oneOf(['a', 'b']) declare either: 'a' | 'c'
      @column.uuid({ nullable: true }) declare nodeId: string | null
      // @ts-expect-error -- without an id there is no node
      @belongsTo(() => Node, { foreignKey: 'nodeId' }) declare node: BelongsTo<typeof Node>
      // @ts-expect-error -- no such column
      @belongsTo(() => Node, { foreignKey: 'other' }) declare other: BelongsTo<typeof Node>
    }
    assert.isTrue(Careless.$hasColumn('doubted'))
  })

  test('a name that the model does not have does not compile', ({ assert }) => {
    const careless = new Kind(Label, {
      ...label,
      // @ts-expect-error -- no such column
      filters: ['colour'],
      // @ts-expect-error -- no such column
      sorts: ['size'],
      // @ts-expect-error -- no such column
      indexes: [['weight']],
      // @ts-expect-error -- a column, not a relation
      includable: ['nodeId'],
      // @ts-expect-error -- no such column
      realm: 'realmId',
    })
    const problems = checkDeclaration(careless.declaration).join('\n')
    for (const name of ['colour', 'size', 'weight', 'nodeId']) {
      assert.include(problems, name)
    }
  })

  test('a body with an attribute that no column stores does not compile', ({ assert }) => {
    const create = body({ color: vine.string(), size: vine.number() })
    const declaring = () => [
      // @ts-expect-error -- the size is lost
      defineKind(Label, { ...label, create }),
      defineKind(Label, { ...label, create, notAsSent: ['size'] }),
    ]
    assert.isFunction(declaring)
  })

  test('a body whose attribute differs in type from its column does not compile', ({ assert }) => {
    const create = body({ color: vine.array(vine.string()) })
    const declaring = () => [
      // @ts-expect-error -- a list, but the column is text
      defineKind(Label, { ...label, create }),
      defineKind(Label, { ...label, create, notAsSent: ['color'] }),
      defineKind(Label, { ...label, create: body({ color: vine.string().nullable() }) }),
    ]
    assert.isFunction(declaring)
  })

  test('audited columns must exist', ({ assert }) => {
    const { audit } = new Kind(Label, { ...label, audit: { lasting: ['color'] } })
    assert.deepEqual(audit, { isRecorded: true, lasting: ['color'] })
    assert.deepEqual(new Kind(Label, label).audit, { isRecorded: true, lasting: [] })
    // @ts-expect-error -- no such column
    const careless = new Kind(Label, { ...label, audit: { lasting: ['colour'] } })
    assert.equal(careless.name, 'label')
  })

  test('an assignment references two columns of its model', ({ assert }) => {
    const declaring = () => [
      assignment('user', 'role', userRole.kind),
      // @ts-expect-error -- names a role
      assignment('user', 'permission', userRole.kind),
    ]
    assert.lengthOf(declaring(), 2)
  })

  test('rows are plain: times are text, relations are not in them', ({ assert }) => {
    type NodeRow = Row<typeof Node>
    const row: Pick<NodeRow, 'id' | 'type' | 'clientId' | 'createdAt'> = {
      id: 'x',
      type: 'default',
      clientId: null,
      createdAt: '2026-01-01T00:00:00.000Z',
    }
    // @ts-expect-error -- no column
    const none: keyof NodeRow = 'registry'
    assert.exists([row, none])
  })
})
