import { test } from '@japa/runner'
import fc from 'fast-check'

import { analysis } from '#core/analyses/analysis'
import { analysisBucket } from '#core/analysis_buckets/analysis_bucket'
import { analysisBucketFile } from '#core/analysis_bucket_files/analysis_bucket_file'
import { analysisNode } from '#core/analysis_nodes/analysis_node'
import { analysisNodeEvent } from '#core/analysis_node_events/analysis_node_event'
import { node } from '#core/nodes/node'
import { projectNode } from '#core/project_nodes/project_node'
import { registry } from '#core/registries/registry'
import { registryProject } from '#core/registry_projects/registry_project'
import { PLATFORM_PERMISSIONS } from '#auth/permission_names'
import type { Kind } from '#records/kind'
import type { Attributes } from '#records/row'
import { clock } from '#kernel/clock'
import { allKinds } from '#tests/helpers/records/all_kinds'
import { at } from '#tests/helpers/application'
import { sampleRecord } from '#tests/helpers/sample_records'
import { rounds } from '#tests/helpers/rounds'

import { person, Scene, type Person } from './analysis_scene.js'

const KINDS = allKinds.filter(({ surface }) => surface === 'core').map(({ kind }) => kind)
const SECRETS = [...new Set(KINDS.flatMap(({ secrets }) => secrets))]
const DEPTH = 4

/** All paths along relations from a kind, starting with the kind itself. */
function waysFrom(kind: Kind, depth = DEPTH): string[][] {
  const further = Object.entries(kind.relations).flatMap(([name, { to }]) =>
    depth === 0 ? [] : waysFrom(to(), depth - 1).map((way) => [name, ...way])
  )
  return [[], ...further]
}

interface Query {
  readonly kind: Kind
  /** The query, which may compare a value with a secret. */
  readonly write: (value: string) => string
}

type Part = (value: string) => string

const encoded = encodeURIComponent

/** Where a secret is, or where a caller may expect it. */
const placeIn = (kind: Kind) =>
  fc.record({
    way: fc.constantFrom(...waysFrom(kind), [kind.name]),
    secret: fc.constantFrom(...SECRETS),
  })

const fieldsIn = (kind: Kind): fc.Arbitrary<Part> =>
  fc
    .record({
      place: placeIn(kind),
      sign: fc.constantFrom('', '%2B', '-'),
      form: fc.nat(5),
      more: fc.boolean(),
    })
    .map(({ place: { way, secret }, sign, form, more }) => {
      const path = [...way, secret].join('.')
      const nested = way.map((name) => `[${name}]`).join('')
      const forms = [
        `fields=${sign}${path}${more ? ',id' : ''}`,
        `fields[]=${sign}${path}${more ? '&fields[]=id' : ''}`,
        `fields[${way.join('.') || '$root'}]=${sign}${secret}`,
        `fields${nested || '[$root]'}=${sign}${secret}`,
        `fields[${way.join('.') || kind.name}]=${sign}${secret}${more ? ',id' : ''}`,
        `fields=${sign}${secret}&fields=${sign}${path}`,
      ]
      return () => forms[form]!
    })

const includeIn = (kind: Kind): fc.Arbitrary<Part> => {
  const ways = waysFrom(kind).slice(1)
  return fc
    .subarray(ways, { maxLength: Math.min(3, ways.length) })
    .map((chosen) => () => `include=${chosen.map((way) => way.join('.')).join()}`)
}

const BRACKET_FORMS = ['', '!', '~', '<', '<=', '>', '>=']
const FUNCTIONS = ['eq', 'in', 'nin', 'lt', 'gte', 'contains', 'startsWith', 'endsWith']

const filterIn = (kind: Kind): fc.Arbitrary<Part> =>
  fc
    .record({
      place: placeIn(kind),
      operator: fc.constantFrom(...BRACKET_FORMS),
      call: fc.constantFrom(...FUNCTIONS),
      cut: fc.nat(4),
      form: fc.nat(5),
    })
    .map(({ place: { way, secret }, operator, call, cut, form }) => (value) => {
      const path = [...way, secret].join('.')
      const nested = [...way, secret].map((name) => `[${name}]`).join('')
      const prefix = value.slice(0, value.length - cut)
      const forms = [
        `filter[${path}]=${encoded(operator + prefix)}`,
        `filter[${path}]=${encoded(`~${prefix}~`)}`,
        `filter${nested}=${encoded(operator + prefix)}`,
        `filter=${encoded(`${call}(${path},'${prefix}')`)}`,
        `filter=${encoded(`or(${call}(${path},'${prefix}'),eq(id,'${clock.uuid()}'))`)}`,
        `filter=${encoded(`not(${call}(${path},'${prefix}'))`)}`,
      ]
      return forms[form]!
    })

const sortIn = (kind: Kind): fc.Arbitrary<Part> =>
  fc
    .record({ place: placeIn(kind), form: fc.nat(3) })
    .map(({ place: { way, secret }, form }) => () => {
      const path = [...way, secret].join('.')
      return [`sort=${path}`, `sort=-${path}`, `sort[${path}]=DESC`, `sort=-${path},id`][form]!
    })

const query: fc.Arbitrary<Query> = fc.constantFrom(...KINDS).chain((kind) =>
  fc
    .tuple(
      ...[fieldsIn, includeIn, filterIn, sortIn].map((part) =>
        fc.option(part(kind), { nil: undefined })
      )
    )
    .map((parts) => ({
      kind,
      write: (value) => parts.flatMap((part) => (part ? [part(value)] : [])).join('&'),
    }))
)

/** Records of every kind that lead to secrets of one realm. */
class Plant {
  private constructor(
    readonly secrets: readonly string[],
    readonly records: ReadonlyMap<string, Attributes>
  ) {}

  static async grow(scene: Scene): Promise<Plant> {
    const [secret, own] = [`planted-${clock.uuid()}`, `planted-${clock.uuid()}`]
    const of = new Map<string, Attributes>()
    const add = async (kind: Kind, given: Attributes) => {
      const known = Object.values(kind.relations).map(({ to, by }) => [by, of.get(to().name)?.id])
      const related = Object.fromEntries(known.filter(([, id]) => id !== undefined))
      of.set(kind.name, await sampleRecord('core', kind, { ...related, ...given }))
    }
    await add(registry, { accountSecret: secret })
    await add(registryProject, { accountSecret: own, realmId: scene.realms.node })
    await add(node, { realmId: scene.realms.node })
    of.set('project', scene.project)
    for (const kind of [
      projectNode,
      analysis,
      analysisNode,
      analysisNodeEvent,
      analysisBucket,
      analysisBucketFile,
    ]) {
      await add(kind, {})
    }
    return new Plant([secret, own], of)
  }
}

async function request(by: Person, path: string) {
  const response = await fetch(at('core', path), { headers: by.headers })
  return { status: response.status, text: await response.text() }
}

test.group('Secrets of another realm', (group) => {
  let scene: Scene
  let plant: Plant
  let strangers: Person[]

  group.setup(async () => {
    scene = await Scene.set()
    plant = await Plant.grow(scene)
    const permissions = PLATFORM_PERMISSIONS.filter((name) => name !== 'registry_manage')
    const client = person(scene.realms.foreign, {
      kind: 'client',
      permissions: ['analysis_update'],
    })
    await sampleRecord('core', node, { realmId: scene.realms.foreign, clientId: client.actor.id })
    strangers = [person(scene.realms.foreign, { permissions }), client]
  })

  test('the secrets are visible to permitted callers', async ({ assert }) => {
    const [secret, own] = plant.secrets as [string, string]
    const by = scene.admin()
    for (const [path, expected] of [
      [`/registries?fields=accountSecret&filter[id]=${plant.records.get('registry')!.id}`, secret],
      [
        `/registry-projects/${plant.records.get('registryProject')!.id}?fields=%2BaccountSecret`,
        own,
      ],
      [
        `/analysis-nodes/${plant.records.get('analysisNode')!.id}?include=node.registry&fields[node.registry]=accountSecret`,
        secret,
      ],
    ] as const) {
      assert.include((await request(by, path)).text, expected)
    }
  })

  test('the secrets are in no response, whatever the query selects, filters and sorts by', async ({
    assert,
  }) => {
    assert.isNotEmpty(SECRETS)
    await fc.assert(
      fc.asyncProperty(query, fc.nat(1), fc.boolean(), async ({ kind, write }, who, single) => {
        const [secret] = plant.secrets
        const record = plant.records.get(kind.name)
        const path = single && record ? `${kind.collection}/${record.id}` : kind.collection
        const { status, text } = await request(strangers[who]!, `${path}?${write(secret!)}`)
        assert.include([200, 400], status, `${path}?${write('')}`)
        assert.notInclude(text, plant.secrets[0]!, path)
        assert.notInclude(text, plant.secrets[1]!, path)
      }),
      { numRuns: rounds(400) }
    )
  }).timeout(60_000)

  test('the secrets cannot be guessed: filtering by the secret has the same result as by another value', async ({
    assert,
  }) => {
    await fc.assert(
      fc.asyncProperty(query, fc.nat(1), fc.nat(1), async ({ kind, write }, who, which) => {
        const secret = plant.secrets[which]!
        const other = `nothing-${clock.uuid()}`
        const by = strangers[who]!
        const right = await request(by, `${kind.collection}?${write(secret)}`)
        const wrong = await request(by, `${kind.collection}?${write(other)}`)
        assert.equal(right.status, wrong.status)
        assert.equal(right.text, wrong.text)
      }),
      { numRuns: rounds(200) }
    )
  }).timeout(60_000)

  test('the secrets cannot be sorted by', async ({ assert }) => {
    for (const kind of KINDS) {
      for (const way of waysFrom(kind)) {
        const sortedBy = async (name: string) =>
          (await request(strangers[0]!, `${kind.collection}?sort=${[...way, name].join('.')}`)).text
        const unsorted = await sortedBy('nothing')
        for (const secret of SECRETS) {
          assert.equal(await sortedBy(secret), unsorted, `${kind.name} by ${way.join('.')}`)
        }
      }
    }
  }).timeout(60_000)
})
