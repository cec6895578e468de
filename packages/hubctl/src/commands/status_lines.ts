import { ageOf } from '#hubctl/output/age'
import { printable } from '#hubctl/output/printable'
import { styled } from '#hubctl/output/styled'
import { wrapForStream } from '#hubctl/output/wrap'
import type { Installation } from '#hubctl/platform/installation'
import type { ServiceState } from '#hubctl/platform/service_states'

const fine = () => styled('green', 'ok  ')
const attention = (word: string) => styled('yellow', word.padEnd(4))

/** A line for each service. */
export function linesOfServices(services: readonly ServiceState[]): string[] {
  return services.map(({ service, answers, version, milliseconds, reason }) => {
    const mark = answers ? fine() : styled('red', 'AWAY')
    const text = answers ? `version ${version ?? 'unknown'}, ${milliseconds} ms` : reason
    return `${mark}  ${service.padEnd(10)} ${text}`
  })
}

/** A line for each part of an installation, and one for each problem. */
export function linesOfInstallation(installation: Installation): string[] {
  return [
    '',
    ...linesOfSurfaces(installation),
    ...linesOfQueues(installation),
    ...linesOfOutbox(installation),
    ...linesOfSweeps(installation),
    ...linesOfStuck(installation),
    ...linesOfCredentials(installation),
    ...linesOfBackups(installation),
    ...linesOfAdoptions(installation),
  ]
}

/** Width of the mark, the part, and the gaps after them. */
const BEFORE = 4 + 2 + 11 + 1

function line(mark: string, part: string, text: string): string {
  return `${mark}  ${part.padEnd(11)} ${wrapForStream(text, process.stdout, BEFORE)}`
}

function linesOfSurfaces({ surfaces }: Installation): string[] {
  const lacking = surfaces.filter(({ isReady }) => !isReady)
  return lacking.map(({ name, reasons }) =>
    line(attention('LOOK'), name, `not ready: ${printable(reasons.join('; '))}`)
  )
}

function linesOfQueues({ queues }: Installation): string[] {
  if (queues.some(({ dead }) => dead === null)) {
    return [line(attention('LOOK'), 'queues', 'the message broker does not respond')]
  }
  const dead = queues.filter((queue) => queue.dead !== 0)
  const unconsumed = queues.filter(({ isTaken }) => isTaken === false)
  return [
    ...(dead.length === 0
      ? [line(fine(), 'queues', 'no dead letters')]
      : dead.map((queue) =>
          line(attention('LOOK'), 'queues', `${queue.dead} dead in ${queue.name}: hubctl bus dead`)
        )),
    ...(unconsumed.length === 0
      ? []
      : [line(attention('note'), 'queues', `no consumer for ${namesIn(unconsumed)}`)]),
  ]
}

const namesIn = (named: readonly { name: string }[]) => named.map(({ name }) => name).join(', ')

function linesOfOutbox({ outbox }: Installation): string[] {
  return outbox.map(({ database, depth, lagSeconds }) => {
    const waits =
      depth === 0 ? 'empty' : `${depth} pending, the oldest for ${Math.ceil(lagSeconds)} s`
    const mark = lagSeconds > 60 ? attention('LOOK') : fine()
    return line(mark, 'outbox', `${database}: ${waits}`)
  })
}

function linesOfSweeps({ sweeps }: Installation): string[] {
  const running = sweeps.filter(({ isRunning }) => isRunning)
  return [line(fine(), 'sweeps', running.length === 0 ? 'none running' : namesIn(running))]
}

function linesOfStuck({ stuck }: Installation): string[] {
  if (stuck.length === 0) {
    return [line(fine(), 'analyses', 'none is stuck')]
  }
  return stuck.map(({ name, process, status, since, problem }) => {
    const why = problem === null ? '' : `: ${printable(problem)}`
    return line(
      attention('LOOK'),
      'analyses',
      `${printable(name)}, ${process} ${status} for ${ageOf(since)}${why}`
    )
  })
}

function linesOfBackups({ backups }: Installation): string[] {
  const last = backups?.[0]
  if (backups === undefined) {
    return []
  }
  return last === undefined
    ? [line(attention('note'), 'backup', 'none is known: node ace backup')]
    : [line(fine(), 'backup', `the last one is ${ageOf(last.endedAt)} old`)]
}

function linesOfAdoptions({ adoptions = [] }: Installation): string[] {
  return adoptions.map(({ service, since }) =>
    line(
      attention('LOOK'),
      'adoption',
      `${printable(service)} is open for ${ageOf(since)}: node ace hub:adopt --last`
    )
  )
}

function linesOfCredentials({ credentials }: Installation): string[] {
  return credentials.map(({ type, id, name, since, expiresAt, isRenewed }) => {
    const mark = isRenewed ? fine() : attention('LOOK')
    if (since !== null) {
      const command = `hubctl node rotate-credentials ${id} --to <file>`
      const whose = printable(name ?? id)
      return line(
        mark,
        'credentials',
        `node ${whose}: its secret is ${ageOf(since)} old: ${command}`
      )
    }
    const what = type === 'signingKey' ? 'token signing key' : type
    const end =
      expiresAt === null ? 'does not expire' : `expires in ${ageOf(expiresAt).replace('+', '')}`
    return line(mark, 'credentials', `${what} ${end}${isRenewed ? ', renewed automatically' : ''}`)
  })
}
