import { Command } from 'commander'

import { EXIT, type ExitCode } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { withConfirmation, withDryRun, watchable } from '#hubctl/options'
import { requireConfirmation } from '#hubctl/output/prompts'
import { parseInterval, watch } from '#hubctl/output/watch'
import type { Api } from '#hubctl/platform/api'
import type { Fields } from '#hubctl/platform/pages'
import { Problem, UsageProblem } from '#hubctl/problem'

const PATH = '/admin/bus/dead'

interface DeadLetter extends Fields {
  readonly id: string
  readonly queue: string
  readonly type: string | null
  readonly reason: string
  readonly diedAt: string
}

interface DeadLetterSelection {
  readonly queue?: string
  readonly all?: boolean
  readonly yes?: boolean
}

export function busCommand(): Command {
  return new Command('bus')
    .description('manage messages that could not be processed')
    .addCommand(
      watchable(
        new Command('dead')
          .description('list dead letters, with the reason')
          .option('--queue <queue>', 'dead letters of this queue')
      ).action(perform(showDead))
    )
    .addCommand(
      watchable(
        new Command('status').description(
          'show how many there are in each queue; ends with 9 for any'
        )
      ).action(perform(showStatus))
    )
    .addCommand(
      withDryRun(
        selectingDeadLetters(new Command('redrive').description('requeue dead letters'))
      ).action(
        perform((invocation: Invocation<DeadLetterSelection>, ids: string[]) =>
          settle(invocation, ids, { method: 'POST', path: '/redrive', done: 'was requeued' })
        )
      )
    )
    .addCommand(
      withConfirmation(
        selectingDeadLetters(new Command('drop').description('delete dead letters for good'))
      ).action(
        perform((invocation: Invocation<DeadLetterSelection>, ids: string[]) =>
          settle(invocation, ids, { method: 'DELETE', path: '', done: 'was deleted' })
        )
      )
    )
}

function selectingDeadLetters(command: Command): Command {
  return command
    .argument('[ids...]', 'their ids, from hubctl bus dead')
    .option('--queue <queue>', 'dead letters of this queue')
    .option('--all', 'all dead letters')
}

async function readDeadLetters(api: Api, queue?: string): Promise<DeadLetter[]> {
  const { data } = await api.read<{ data: DeadLetter[] }>('core', PATH)
  return data.filter((letter) => queue === undefined || letter.queue === queue)
}

async function showDead(invocation: Invocation<{ queue?: string; watch?: string | boolean }>) {
  const { options, output } = invocation
  const api = await invocation.api()
  return watch(parseInterval(options.watch), async () => {
    output.records(await readDeadLetters(api, options.queue), {
      kind: 'dead-letter',
      columns: ['id', 'queue', 'diedAt', 'reason'],
      nothing: 'There are no dead letters.',
    })
  })
}

async function showStatus(invocation: Invocation<{ watch?: string | boolean }>) {
  const { options, output } = invocation
  const api = await invocation.api()
  return watch(parseInterval(options.watch), async (): Promise<ExitCode> => {
    const letters = await readDeadLetters(api)
    const queues = Object.entries(Object.groupBy(letters, ({ queue }) => queue))
    const rows = queues.map(([queue, own = []]) => ({
      name: queue,
      dead: own.length,
      oldest: own.map(({ diedAt }) => diedAt).toSorted()[0],
    }))
    output.records(rows, {
      kind: 'queue',
      columns: ['name', 'dead', 'oldest'],
      nothing: 'There are no dead letters.',
    })
    return letters.length === 0 ? EXIT.done : EXIT.found
  })
}

interface SettleRequest {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly done: string
}

async function settle(
  invocation: Invocation<DeadLetterSelection>,
  ids: readonly string[],
  { method, path, done }: SettleRequest
): Promise<void> {
  const { options, output } = invocation
  if (ids.length === 0 && options.queue === undefined && !options.all) {
    throw new UsageProblem('No dead letters were selected.', 'Pass ids, --queue <queue>, or --all.')
  }
  const api = await invocation.api()
  const dead = await readDeadLetters(api, options.queue)
  const selected = ids.length === 0 ? dead : dead.filter(({ id }) => ids.includes(id))
  const unknown = ids.filter((id) => !selected.some((letter) => letter.id === id))
  if (unknown.length > 0) {
    throw new Problem(EXIT.notFound, `There is no dead letter with the id ${unknown.join(', ')}.`, [
      'List them: hubctl bus dead',
    ])
  }
  if (method === 'DELETE') {
    const sure = Boolean(options.yes) || api.isPlanning
    await requireConfirmation(`Delete ${selected.length} dead letters for good?`, { yes: sure })
  }
  for (const letter of selected) {
    const settled = await api.change<{ data: DeadLetter }>(
      method,
      'core',
      `${PATH}/${encodeURIComponent(letter.id)}${path}`
    )
    if (settled) {
      output.done(
        `The message ${letter.id} of ${letter.queue} ${done}`,
        settled.data,
        'dead-letter'
      )
    }
  }
}
