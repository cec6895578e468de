import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type NamedRecord, type RecordCollection } from '#hubctl/kinds/find_record'
import { PERMISSIONS, ROLES } from '#hubctl/kinds/record_collections'
import { withDryRun, collect } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { ApiError } from '#hubctl/platform/api_error'
import { Problem, UsageProblem } from '#hubctl/problem'
import { findInRealm, type RealmOption } from './activation.js'

interface GrantOptions extends RealmOption {
  readonly role?: readonly string[]
  readonly permission?: readonly string[]
}

/** A role or permission to grant or revoke. */
interface Grant {
  readonly granted: RecordCollection
  readonly name: string
}

/** The commands `grant` and `revoke` for users, clients and roles. Roles cannot contain roles. */
export function grantCommands(owner: RecordCollection): Command[] {
  return [
    withGrantOptions(
      new Command('grant').description(`give a ${owner.name} roles or permissions`),
      owner
    ).action(
      perform((invocation: Invocation<GrantOptions>, name: string) =>
        changeGrants(invocation, { owner, name, change: addGrant, done: '' })
      )
    ),
    withGrantOptions(
      new Command('revoke').description(`take roles or permissions from a ${owner.name}`),
      owner
    ).action(
      perform((invocation: Invocation<GrantOptions>, name: string) =>
        changeGrants(invocation, { owner, name, change: removeGrant, done: ' no more' })
      )
    ),
  ]
}

function withGrantOptions(command: Command, owner: RecordCollection): Command {
  command.argument(`<${owner.name}>`, 'its id or name')
  if (owner.name !== ROLES.name) {
    command
      .option('--role <role>', 'a role; repeatable', collect)
      .option('--realm <realm>', `the realm of the ${owner.name}`)
  }
  return withDryRun(
    command.option('--permission <permission>', 'a permission; repeatable', collect)
  )
}

/** A grant with the ids of its grantee and of the role or permission. */
interface ResolvedGrant extends Grant {
  readonly api: Api
  readonly owner: RecordCollection
  readonly grantee: NamedRecord
  readonly id: string
}

type ChangeGrant = (grant: ResolvedGrant) => Promise<{ data: NamedRecord | undefined } | undefined>

async function changeGrants(
  invocation: Invocation<GrantOptions>,
  {
    owner,
    name,
    change,
    done,
  }: { owner: RecordCollection; name: string; change: ChangeGrant; done: string }
): Promise<void> {
  const grants = grantsIn(invocation.options)
  const api = await invocation.api()
  const grantee = await findInRealm(api, owner, name, invocation.options)
  for (const grant of grants) {
    const { id } = await findRecord(api, grant.granted, grant.name)
    const changed = await change({ ...grant, api, owner, grantee, id })
    if (changed) {
      const sentence = `The ${owner.name} ${grantee.name} has the ${grant.granted.name} ${grant.name}${done}`
      invocation.output.done(sentence, changed.data, kindOf(owner, grant.granted))
    }
  }
}

/** A grant that exists already is a success. */
async function addGrant({ api, owner, granted: given, grantee, id }: ResolvedGrant) {
  const body = { [`${owner.name}Id`]: grantee.id, [`${given.name}Id`]: id }
  try {
    return await api.change<{ data: NamedRecord }>('POST', 'identity', pathFor(owner, given), body)
  } catch (error) {
    if (error instanceof ApiError && error.status === 409) {
      return { data: undefined }
    }
    throw error
  }
}

async function removeGrant({ api, owner, granted: given, name, grantee, id }: ResolvedGrant) {
  const path = pathFor(owner, given)
  const [assignment] = await allOf<NamedRecord>(api, 'identity', path, {
    query: [
      [`filter[${owner.name}Id]`, grantee.id],
      [`filter[${given.name}Id]`, id],
    ],
  })
  if (!assignment) {
    throw new Problem(
      EXIT.notFound,
      `The ${owner.name} ${grantee.name} has no ${given.name} ${name} of its own.`
    )
  }
  return api.change<{ data: NamedRecord }>('DELETE', 'identity', `${path}/${assignment.id}`)
}

function grantsIn({ role = [], permission = [] }: GrantOptions): Grant[] {
  const grants = [
    ...role.map((name) => ({ granted: ROLES, name })),
    ...permission.map((name) => ({ granted: PERMISSIONS, name })),
  ]
  if (grants.length === 0) {
    throw new UsageProblem(
      'No role or permission was given.',
      'Pass --role <role> or --permission <permission>.'
    )
  }
  return grants
}

function kindOf(owner: RecordCollection, granted: RecordCollection): string {
  return `${owner.name}-${granted.name}`
}

const pathFor = (owner: RecordCollection, granted: RecordCollection) =>
  `/${kindOf(owner, granted)}s`
