import { identityPool } from '#identity/embedded/database'
import { seedIdentity } from '#identity/embedded/seeds'
import { project } from '#core/projects/project'
import { set } from '#tests/functional/core/analysis_scene'
import { sampleRecord } from '#tests/helpers/sample_records'
import {
  admitTo,
  STATES,
  worldAnalysis,
  type State,
  type WorldAnalysis,
  type WorldNode,
} from './analyses.js'
import {
  personOf,
  REALMS,
  worldPeople,
  worldRealms,
  type People,
  type RealmIds,
  type RealmName,
} from './people.js'
import {
  clientOfAnalysis,
  clientOfNode,
  clientOfRealm,
  registerNode,
  robotOfRealm,
  systemClient,
  workerClient,
} from './programs.js'
import { ANONYMOUS, asIdentity, type WorldIdentity } from './world_identity.js'

/** Three realms with their people, nodes, programs, projects and analyses in every state. */
export interface World {
  readonly realms: RealmIds
  readonly people: People
  /** Who made the analyses of the institute; its roles were taken away afterwards. */
  readonly author: WorldIdentity
  readonly nodes: Readonly<Record<RealmName, WorldNode>>
  readonly analyses: Readonly<Record<State, WorldAnalysis>>
  /** An analysis of the south alone. */
  readonly elsewhere: WorldAnalysis
  /** Everybody who has a credential, and somebody without. */
  readonly identities: readonly WorldIdentity[]
}

let made: Promise<World> | undefined

/** The world of this process, which is made once: tests that change rows make rows of their own. */
export const theWorld = (): Promise<World> => (made ??= newWorld())

async function newWorld(): Promise<World> {
  await seedIdentity()
  const realms = await worldRealms()
  const people = await worldPeople(realms)
  const formerAuthor = await personOf('the author', realms.institute, 'researcher')
  const nodes = {
    institute: await registerNode(people.of.institute.steward),
    north: await registerNode(people.of.north.steward),
    south: await registerNode(people.of.south.steward),
  }
  const shared = await newProject(realms.institute, [nodes.north, nodes.south])
  const states = Object.keys(STATES) as State[]
  const analyses = await Promise.all(
    states.map((state) =>
      worldAnalysis({
        state,
        projectId: shared,
        author: formerAuthor,
        nodes: [nodes.north, nodes.south],
      })
    )
  )
  const elsewhere = await worldAnalysis({
    state: 'approved',
    projectId: await newProject(realms.south, [nodes.south]),
    author: people.of.south.researcher,
    nodes: [nodes.south],
  })
  const ofState = Object.fromEntries(states.map((state, index) => [state, analyses[index]!]))
  const author = await withoutRoles(formerAuthor)
  const world = {
    realms,
    people,
    author,
    nodes,
    analyses: ofState as World['analyses'],
    elsewhere,
  }
  return { ...world, identities: await identitiesOf(world) }
}

/** A project to whose analyses the platform assigns these nodes. */
async function newProject(realmId: string, nodes: readonly WorldNode[]): Promise<string> {
  const { id } = await sampleRecord('core', project, { realmId })
  await set('projects', id, { analyses: 0, nodes: 0 })
  await admitTo({ id: id as string, realmId }, nodes)
  return id as string
}

/** The same person after its roles were taken away. */
async function withoutRoles({ actor }: WorldIdentity): Promise<WorldIdentity> {
  await identityPool().query('delete from user_roles where user_id = $1', [actor!.id])
  const name = 'the author of the analyses, who lost every role'
  return asIdentity(name, { ...actor!, permissions: new Set() })
}

async function identitiesOf(world: Omit<World, 'identities'>): Promise<WorldIdentity[]> {
  const { people, realms, nodes, analyses, elsewhere, author } = world
  const ofNodes = await Promise.all(
    REALMS.map((name) =>
      clientOfNode(`the client of ${name}'s node`, nodes[name], people.of[name].steward)
    )
  )
  const north = ofNodes[REALMS.indexOf('north')]!
  return [
    ANONYMOUS,
    people.masterAdmin,
    people.masterMember,
    ...REALMS.flatMap((name) => Object.values(people.of[name])),
    author,
    ...ofNodes,
    await clientOfAnalysis(
      'the client of an executing analysis, fetched by a node',
      analyses.executing,
      north
    ),
    await clientOfAnalysis(
      "the client of the south's own analysis",
      elsewhere,
      people.of.south.researcher
    ),
    await clientOfRealm("a client of the institute's own", realms.institute),
    await clientOfRealm("a client of the north's own", realms.north),
    robotOfRealm('a robot of the north', realms.north),
    await workerClient(),
    await systemClient(),
  ]
}
