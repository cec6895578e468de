import { chown, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'

import { test } from '@japa/runner'

import { DEFAULT_LIMITS, type ContainerLimits } from '#node/containers/container_driver'
import {
  ALLOWED_CALLS,
  CHECKED_CALLS,
  ENOSYS,
  EPERM,
  REFUSED_CALLS,
  type SystemCall,
} from '#node/containers/seccomp/system_calls'
import { Gateway } from '#node/gateway/gateway'
import { Router } from '#node/gateway/router'
import { MODULES, PYTHON_HOME } from '#node/python_image/python_files'
import { newId } from '#kernel/new_id'
import { containerSeats, type Seat } from '#tests/helpers/node/container_seats'
import { pythonRoot } from '#tests/helpers/node/python_root'
import { RunningContainer } from '#tests/helpers/node/running_container'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'

const PROGRAMS = fileURLToPath(new URL('../../fixtures/python/', import.meta.url))
const FIXTURES = [
  ...['answered_calls.py', 'usual_program.py', 'memory_beyond_limit.py'],
  ...['flooding_program.py', 'asking_program.py'],
]
const EAFNOSUPPORT = 97
/** Linux answers uretprobe and uprobe of x64 before it asks a filter. */
const NEVER_FILTERED = [335, 336]
const UNKNOWN_NUMBERS = [457, 500, 600, 1_000, 65_535]

const numberOf = (call: SystemCall): number | null => call[process.arch as 'x64' | 'arm64']
const numbersOf = (calls: readonly SystemCall[]): number[] =>
  calls.map(numberOf).filter((number) => number !== null)
const checked = (name: string): number =>
  numberOf(CHECKED_CALLS.find((call) => call.name === name)!)!

/** Ten times the longest delays that were measured. */
const LOOP_DELAY_MS = 500
const ANSWER_MS = 2_000

type Cleanup = (callback: () => Promise<void>) => void

type Call = readonly [number: number, ...args: number[]]

/** Refused ones, all that no table has, and those whose argument is refused, also with bits above those that count. */
function forbiddenCalls(): Map<Call, number> {
  const refused = numbersOf(REFUSED_CALLS)
  const decided = numbersOf([...ALLOWED_CALLS, ...CHECKED_CALLS, ...REFUSED_CALLS])
  const known = new Set([...decided, ...NEVER_FILTERED])
  const missing = Array.from({ length: 457 }, (_, number) => number).filter(
    (one) => !known.has(one)
  )
  const high = 2 ** 32
  const namespaces = [0x1000_0011, 0x2_0011, 0x4000_0011, high + 0x1000_0011]
  return new Map<Call, number>([
    ...refused.map((number) => [[number], EPERM] as const),
    ...[...missing, ...UNKNOWN_NUMBERS].map((number) => [[number], ENOSYS] as const),
    ...namespaces.map((flags) => [[checked('clone'), flags, 0, 0, 0, 0], EPERM] as const),
    ...[17, 38, 40, high + 40].map((f) => [[checked('socket'), f, 1, 0], EAFNOSUPPORT] as const),
    [[checked('socketpair'), 30, 1, 0, 0], EAFNOSUPPORT],
    ...[0x54_12, 0x54_1c, high + 0x54_12].map((r) => [[checked('ioctl'), 0, r, 0], EPERM] as const),
    [[checked('personality'), 0x4_0000], EPERM],
    [[checked('personality'), 0xff_ff_ff_ff], 0],
  ])
}

interface RunChanges {
  readonly limits?: ContainerLimits
  /** The file name of the socket. */
  readonly gateway?: string
}

await ensurePackages(PACKAGES.containers)

for (const seat of containerSeats()) {
  test.group(`Hostile programs | ${seat.name}`, (group) => {
    let folder: string
    let rootPath: string
    let driver: ReturnType<Seat['open']>

    group.setup(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hub-hostile-'))
      rootPath = await pythonRoot(join(folder, 'root'))
      for (const program of FIXTURES) {
        await copyFile(join(PROGRAMS, program), join(rootPath, 'opt/code', program))
      }
      await chown(folder, seat.account, seat.account)
      driver = seat.open(join(folder, 'run'))
      return async () => {
        await driver.close?.()
        await rm(folder, { recursive: true, force: true })
      }
    })
    group.each.timeout(300_000)

    const start = (
      args: readonly string[],
      { limits = DEFAULT_LIMITS, gateway = 'gateway' }: RunChanges = {}
    ) =>
      RunningContainer.start(driver, {
        name: 'analysis',
        rootPath,
        command: [`/${PYTHON_HOME}/bin/python3`, '-B', ...args],
        variables: { PATH: '/bin', PYTHONHOME: `/${PYTHON_HOME}`, PYTHONPATH: `/${MODULES}` },
        workingFolder: '/opt/code',
        limits,
        gatewayHost: 'nginx-analysis',
        gatewaySocket: join(folder, gateway),
        inboundSocket: join(folder, newId().slice(0, 8)),
      })

    async function run(args: readonly string[], changes: RunChanges = {}) {
      const container = await start(args, changes)
      const exit = await container.exited
      return { ...exit, lines: container.lines, output: container.output }
    }

    test('system calls that no analysis needs are refused, and unknown ones are missing', async ({
      assert,
    }) => {
      const calls = forbiddenCalls()
      const { lines } = await run(['answered_calls.py', JSON.stringify([...calls.keys()])])
      assert.lengthOf(lines, 1)
      const errors = JSON.parse(lines[0]!.replace('stdout: ', '')) as number[]
      assert.deepEqual(
        [...calls.keys()].map((call, index) => [...call, errors[index]]),
        [...calls].map(([call, errno]) => [...call, errno])
      )
    })

    test('a program that fills memory is ended, whoever has it mapped: {$self}')
      .with(['shared', 'unmapped', 'files'])
      .run(async ({ assert }, way) => {
        const limits = { ...DEFAULT_LIMITS, memoryBytes: 256 * 1024 ** 2 }
        const { reason, message, output } = await run(['memory_beyond_limit.py', way], { limits })
        // What nobody has mapped is bounded by control groups only, and a node without them says so.
        if (way === 'shared' || driver.unbounded.length === 0) {
          assert.equal(reason, 'memory')
          assert.include(message, 'more than 256 MiB')
          assert.notInclude(output, 'end')
        } else {
          assert.deepEqual(driver.unbounded, ['sharedMemory'])
        }
      })

    /** A gateway with one route, which sends the given response. */
    async function openGateway(name: string, cleanup: Cleanup, body: () => string): Promise<void> {
      const router = new Router().add('none', 'GET', '/healthz', ({ response }) => {
        response.end(body())
      })
      const socket = join(folder, name)
      const tokens = { accepts: () => true }
      const gateway = await Gateway.listen(socket, router, tokens, { refused: () => {} })
      cleanup(() => gateway.close())
      await chown(socket, seat.account, seat.account)
    }

    test('a program that floods its gateway and its output leaves time for other analyses', async ({
      assert,
      cleanup,
    }) => {
      let requests = 0
      let isOver = false
      await openGateway('flooded', cleanup, () => String((requests += 1)))
      await openGateway('other', cleanup, () => (isOver ? 'enough' : 'more'))
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const asking = run(['asking_program.py'], { gateway: 'other' })
      const flooded = await run(['flooding_program.py'], { gateway: 'flooded' })
      delay.disable()
      isOver = true
      const { output, code } = await asking

      assert.equal(code, 0)
      assert.isAbove(requests, 20)
      assert.isAbove(flooded.lines.length, 10_000)
      assert.isBelow(delay.max / 1e6, LOOP_DELAY_MS)
      assert.isBelow(Number(/^stdout: (\d+)$/.exec(output)?.[1]), ANSWER_MS)
    })

    test('a program that does what is usual finds all that it needs', async ({ assert }) => {
      const { code, output } = await run(['usual_program.py'])
      const parts = ['threads', 'processes', 'sockets', 'files', 'database', 'system']
      assert.equal(output, parts.map((part) => `stdout: ${part}`).join('\n'))
      assert.equal(code, 0)
    })
  })
}
