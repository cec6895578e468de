import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { findRecord, type Found, type Place } from '#hubctl/kinds/find_record'
import { PERMISSIONS, ROLES } from '#hubctl/kinds/places'
import { changing, gathered } from '#hubctl/options'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { Refusal } from '#hubctl/platform/refusals'
import { Problem, UsageProblem } from '#hubctl/problem'
import { findIn, type RealmOption } from './bearer.js'

interface Options extends RealmOption {
  readonly role?: readonly string[]
  readonly permission?: readonly string[]
}

/** What is given or taken: a role or a permission, as a record that names both. */
interface Gift {
  readonly given: Place
  readonly name: string
}

/** `grant` and `revoke` for users, clients and roles; nobody has a role in a role. */
export function grantCommands(owner: Place): Command[] {
  return [
    options(
      new Command('grant').description(`give a ${owner.name} roles or permissions`),
      owner
    ).action(
      perform((invocation: Invocation<Options>, name: string) =>
        forEach(invocation, { owner, name, change: give, done: '' })
      )
    ),
    options(
      new Command('revoke').description(`take roles or permissions from a ${owner.name}`),
      owner
    ).action(
      perform((invocation: Invocation<Options>, name: string) =>
        forEach(invocation, { owner, name, change: take, done: ' no more' })
      )
    ),
  ]
}

function options(command: Command, owner: Place): Command {
  command.argument(`<${owner.name}>`, 'its id or name')
  if (owner.name !== ROLES.name) {
    command
      .option('--role <role>', 'a role; may be said several times', gathered)
      .option('--realm <realm>', `the realm of the ${owner.name}`)
  }
  return changing(
    command.option('--permission <permission>', 'a permission; may be said several times', gathered)
  )
}

/** A gift to a bearer, with the ids of both. */
interface Named extends Gift {
  readonly api: Api
  readonly owner: Place
  readonly bearer: Found
  readonly id: string
}

type Change = (named: Named) => Promise<{ data: Found | undefined } | undefined>

async function forEach(
  invocation: Invocation<Options>,
  { owner, name, change, done }: { owner: Place; name: string; change: Change; done: string }
): Promise<void> {
  const gifts = giftsIn(invocation.options)
  const api = await invocation.api()
  const bearer = await findIn(api, owner, name, invocation.options)
  for (const gift of gifts) {
    const { id } = await findRecord(api, gift.given, gift.name)
    const changed = await change({ ...gift, api, owner, bearer, id })
    if (changed) {
      const sentence = `The ${owner.name} ${bearer.name} has the ${gift.given.name} ${gift.name}${done}`
      invocation.output.done(sentence, changed.data, kindOf(owner, gift.given))
    }
  }
}

/** What they have already is no mishap. */
async function give({ api, owner, given, bearer, id }: Named) {
  const body = { [`${owner.name}Id`]: bearer.id, [`${given.name}Id`]: id }
  try {
    return await api.change<{ data: Found }>('POST', 'identity', pathFor(owner, given), body)
  } catch (error) {
    if (error instanceof Refusal && error.status === 409) {
      return { data: undefined }
    }
    throw error
  }
}

async function take({ api, owner, given, name, bearer, id }: Named) {
  const path = pathFor(owner, given)
  const [held] = await allOf<Found>(api, 'identity', path, {
    query: [
      [`filter[${owner.name}Id]`, bearer.id],
      [`filter[${given.name}Id]`, id],
    ],
  })
  if (!held) {
    throw new Problem(
      EXIT.notFound,
      `The ${owner.name} ${bearer.name} has no ${given.name} ${name} of its own.`
    )
  }
  return api.change<{ data: Found }>('DELETE', 'identity', `${path}/${held.id}`)
}

function giftsIn({ role = [], permission = [] }: Options): Gift[] {
  const gifts = [
    ...role.map((name) => ({ given: ROLES, name })),
    ...permission.map((name) => ({ given: PERMISSIONS, name })),
  ]
  if (gifts.length === 0) {
    throw new UsageProblem('What is it about?', 'Say --role <role> or --permission <permission>.')
  }
  return gifts
}

function kindOf(owner: Place, given: Place): string {
  return `${owner.name}-${given.name}`
}

const pathFor = (owner: Place, given: Place) => `/${kindOf(owner, given)}s`
