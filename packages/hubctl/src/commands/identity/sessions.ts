import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { pathOf } from '#hubctl/kinds/kind'
import { USERS } from '#hubctl/kinds/record_collections'
import { withDryRun } from '#hubctl/options'
import type { Fields } from '#hubctl/platform/pages'
import { findInRealm, type RealmOption } from './activation.js'

/** The commands for the sessions of users. */
export function sessionCommands(): Command[] {
  return [
    ofUser(new Command('sessions').description('show where a user is signed in')).action(
      perform(showSessions)
    ),
    withDryRun(
      ofUser(new Command('end-sessions').description('sign a user out everywhere'))
    ).action(perform(endSessions)),
  ]
}

const ofUser = (command: Command): Command =>
  command.argument('<user>', 'its id or name').option('--realm <realm>', 'the realm of the user')

async function showSessions(invocation: Invocation<RealmOption>, user: string): Promise<void> {
  const api = await invocation.api()
  const { id } = await findInRealm(api, USERS, user, invocation.options)
  const { data } = await api.read<{ data: Fields[] }>(
    USERS.service,
    `${pathOf(USERS, id)}/sessions`
  )
  const rows = data.map(({ client, isBrowser, ...session }) => ({
    client: isBrowser ? 'sign-in page' : client,
    ...session,
  }))
  invocation.output.records(rows, {
    kind: 'session',
    columns: ['client', 'since', 'usedAt', 'address', 'userAgent'],
    nothing: 'The user is signed in nowhere.',
  })
}

async function endSessions(invocation: Invocation<RealmOption>, user: string): Promise<void> {
  const api = await invocation.api()
  const { id, name } = await findInRealm(api, USERS, user, invocation.options)
  const answer = await api.change<{ data: { ended: number } }>(
    'DELETE',
    USERS.service,
    `${pathOf(USERS, id)}/sessions`
  )
  if (answer) {
    invocation.output.done(`${answer.data.ended} sessions of ${name ?? id} were ended`, answer.data)
  }
}
