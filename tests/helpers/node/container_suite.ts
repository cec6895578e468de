import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { test } from '@japa/runner'

import type {
  ContainerDriver,
  ContainerLimits,
  ContainerSpec,
} from '#node/containers/container_driver'
import { ContainerStartFailed } from '#node/errors'
import { newId } from '#kernel/new_id'
import { eventually } from '#tests/helpers/eventually'
import { procFile } from '#tests/services/servers/process_table'
import { busyboxRoot } from './busybox_root.js'
import { remainsOf, tracesOf } from './machine_traces.js'
import { RunningContainer, type PlainSpec } from './running_container.js'

const MIB = 1024 ** 2
const LIMITS: ContainerLimits = {
  memoryBytes: 256 * MIB,
  processes: 40,
  cpus: 1,
  tmpBytes: 8 * MIB,
}

export interface DriverSetup {
  readonly driver: ContainerDriver
  readonly cleanup?: () => Promise<void>
}

/** Makes a driver that keeps its files in a folder. */
export type MakeDriver = (folder: string) => Promise<DriverSetup>

/** Tests that every driver of containers must pass. */
export function containerSuite(
  name: string,
  makeDriver: MakeDriver,
  prepare: (folder: string, sockets: string) => Promise<void> = async () => {}
): void {
  test.group(`Containers | ${name}`, (group) => {
    let folder: string
    /** Its path may be seen by a container, that of the other may not. */
    let sockets: string
    let setup: DriverSetup
    let gateway: Server
    let requests: string[]

    group.setup(async () => {
      folder = await mkdtemp(join(tmpdir(), 'hub-node-'))
      sockets = await mkdtemp(join(tmpdir(), 'hub-sockets-'))
      busyboxRoot(join(folder, 'root'))
      gateway = createServer((request, response) => {
        requests.push(`${request.method} ${request.url} ${request.headers.host}`)
        response.end('from the gateway\n')
      })
      gateway.listen(join(sockets, 'gateway'))
      await once(gateway, 'listening')
      await prepare(folder, sockets)
      setup = await makeDriver(join(folder, 'run'))
      return async () => {
        gateway.close()
        gateway.closeAllConnections()
        await setup.cleanup?.()
        await rm(folder, { recursive: true, force: true })
        await rm(sockets, { recursive: true, force: true })
      }
    })

    group.each.setup(() => {
      requests = []
    })
    group.each.timeout(180_000)

    const specOf = (script: string, changes: Partial<ContainerSpec> = {}): PlainSpec => {
      const id = newId().slice(0, 12)
      return {
        name: `analysis-${id}`,
        rootPath: join(folder, 'root'),
        command: ['/bin/sh', '-c', script],
        variables: { PATH: '/bin' },
        workingFolder: '/opt/code',
        limits: LIMITS,
        gatewayHost: `nginx-analysis-${id}`,
        gatewaySocket: join(sockets, 'gateway'),
        inboundSocket: join(sockets, id),
        ...changes,
      }
    }
    const start = (script: string, changes: Partial<ContainerSpec> = {}) =>
      RunningContainer.start(setup.driver, specOf(script, changes))
    /** Runs a container to its end. */
    const run = async (script: string, changes: Partial<ContainerSpec> = {}) => {
      const container = await start(script, changes)
      const exit = await container.exited
      return { ...exit, output: container.output }
    }

    test('it runs on this machine', async ({ assert }) => {
      assert.isUndefined(await setup.driver.available())
    })

    test('a program has its variables, folder and name, and its output comes line by line', async ({
      assert,
    }) => {
      const { code, signal, reason, output } = await run(
        'env | sort; pwd; hostname; printf "a\\nb" >&2; echo again > /dev/stdout; exit 7',
        { variables: { PATH: '/bin', SECRET: 'two\nlines' }, name: 'analysis-one' }
      )

      assert.deepEqual({ code, signal, reason }, { code: 7, signal: null, reason: undefined })
      const lines = output.split('\n').sort()
      for (const line of ['stderr: a', 'stderr: b', 'stdout: /opt/code', 'stdout: SECRET=two']) {
        assert.include(lines, line)
      }
      assert.includeMembers(lines, ['stdout: lines', 'stdout: analysis-one', 'stdout: again'])
      const names = lines.flatMap((line) => /^stdout: (\w+)=/.exec(line)?.[1] ?? [])
      const ofShellAndRuntime = ['PATH', 'SECRET', 'PWD', 'SHLVL', 'HOME']
      assert.isEmpty(names.filter((one) => !ofShellAndRuntime.includes(one)))
    })

    test('a program does not see the folders of its node in names of sockets and pipes', async ({
      assert,
    }) => {
      const { output } = await run('ls -l /proc/self/fd /proc/1/fd; cat /proc/net/unix')

      assert.include(output, '/proc/self/fd')
      assert.include(output, 'Inode Path')
      assert.notInclude(output, folder)
    })

    test('a program that is ended by a signal says so', async ({ assert }) => {
      const { code, signal, reason } = await run('kill -KILL $$')

      assert.deepEqual(
        { code, signal, reason },
        { code: null, signal: 'SIGKILL', reason: undefined }
      )
    })

    test('it reaches its gateway by name, and is reached through its socket', async ({
      assert,
    }) => {
      const spec = specOf(
        `wget -q -O - http://$GATEWAY/healthz; echo hello > /tmp/index.html; echo ready; httpd -f -p 8000 -h /tmp`
      )
      const container = await RunningContainer.start(setup.driver, {
        ...spec,
        variables: { ...spec.variables, GATEWAY: spec.gatewayHost },
      })
      await container.says('ready')
      const body = await eventually(() =>
        bodyFrom(spec.inboundSocket, '/index.html').catch(() => undefined)
      )
      await container.stop()

      assert.include(container.output, 'from the gateway')
      assert.deepEqual(requests, [`GET /healthz ${spec.gatewayHost}`])
      assert.equal(body, 'hello\n')
      assert.isFalse(existsSync(spec.inboundSocket))
    })

    test('it reaches nothing else: not the host, another gateway, or the internet', async ({
      assert,
      cleanup,
    }) => {
      const host = createServer((_request, response) => response.end('from the host\n'))
      host.listen(0, '0.0.0.0')
      await once(host, 'listening')
      cleanup(() => void host.close())
      const { port } = host.address() as AddressInfo
      const addresses = [`127.0.0.1 ${port}`, `::1 ${port}`, '1.1.1.1 80', '169.254.169.254 80']
      const { output } = await run(
        [
          ...addresses.map((one) => `nc -w 5 ${one} < /dev/null && echo LEFT ${one}`),
          'nc -w 5 127.0.0.1 80 < /dev/null && echo gateway',
          `ls ${sockets} && echo LEFT sockets`,
          // Linux shows the name of the own gateway while a connection to it is open.
          `grep -v ' ${sockets}/gateway$' /proc/net/unix | grep -c gateway && echo LEFT names`,
          'ifconfig -a | grep -c Link.encap',
          'echo end',
        ].join('; ')
      )

      assert.notInclude(output, 'LEFT')
      assert.include(output, 'stdout: gateway')
      assert.includeMembers(output.split('\n'), ['stdout: 1', 'stdout: end'])
    })

    test('it has no rights, and cannot get any', async ({ assert }) => {
      const { output } = await run(
        [
          'id -u; id -g',
          'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status',
          'mkdir /tmp/a; mount -t tmpfs none /tmp/a && echo LEFT mount',
          'mount --bind / /tmp/a && echo LEFT bind',
          'mount -o remount,rw / && echo LEFT remount',
          'umount /proc && echo LEFT umount',
          'unshare -U true && echo LEFT user namespace',
          'unshare -m true && echo LEFT namespace',
          'chroot / true && echo LEFT chroot',
          'mknod /tmp/disk b 8 0 && echo LEFT device',
          'hostname other && echo LEFT host name',
          'renice -n -5 $$ && echo LEFT priority',
          'date -s 2020-01-01',
          'dmesg && echo LEFT messages',
          'echo end',
        ].join('; ')
      )

      assert.notInclude(output, 'LEFT')
      assert.include(output, "can't set date")
      assert.lengthOf(output.match(/^stdout: 65534$/gm)!, 2)
      for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
        assert.include(output, `Cap${set}:\t0000000000000000`)
      }
      assert.include(output, 'NoNewPrivs:\t1')
      assert.include(output, 'Seccomp:\t2')
      assert.include(output, 'stdout: end')
    })

    test('it writes to /tmp, /dev/shm and its working folder only', async ({ assert }) => {
      const paths = ['/x', '/opt/x', '/etc/hosts', '/dev/x', '/proc/sys/kernel/hostname']
      const { output } = await run(
        [
          ...paths.map((path) => `(echo x > ${path}) && echo LEFT ${path}`),
          'echo x > /tmp/x && echo x > /dev/shm/x && echo written',
          'touch /bin/busybox && echo LEFT touched',
          'echo x > /proc/sysrq-trigger && echo LEFT sysrq',
          'echo 0 > /proc/self/oom_score_adj && echo LEFT turn',
          'echo turn $(cat /proc/self/oom_score_adj)',
          'head -c 1 /proc/kcore && echo LEFT kcore',
          'cat /proc/keys | head -c 1 | grep -q . && echo LEFT keys',
          'ls -d /dev/sd* /dev/vd* /dev/mem /dev/kmsg && echo LEFT disks',
          'echo end',
        ].join('; ')
      )

      assert.notInclude(output, 'LEFT')
      assert.include(output, 'written')
      assert.include(output, 'stdout: turn 500')
      assert.isFalse(existsSync(join(folder, 'root', 'x')))
    })

    test('files of the host are out of reach', async ({ assert }) => {
      const secret = join(folder, 'secret')
      writeFileSync(secret, 'a secret of the host')
      const { output } = await run(
        [
          ...['', '/proc/1/root', '/proc/self/root', '/proc/1/cwd/..', '/proc/self/cwd/../..'].map(
            (prefix) => `cat ${prefix}${secret} && echo LEFT ${prefix}`
          ),
          'for fd in /proc/*/fd/*; do readlink $fd; done',
          `grep -q ${sockets} /proc/1/environ && echo LEFT environment`,
          'echo end',
        ].join('; ')
      )

      assert.notInclude(output, 'LEFT')
      assert.notInclude(output, 'a secret of the host')
      assert.notInclude(output.replaceAll(/(cat|sh): .*/g, ''), folder)
    })

    test('it sees its own processes, and cannot signal others', async ({ assert }) => {
      const { output, code } = await run(
        [
          `kill -KILL ${process.pid} && echo LEFT`,
          `kill -KILL ${process.ppid} && echo LEFT`,
          'ps -o pid | wc -l',
          'kill -KILL -1',
          'exit 3',
        ].join('; ')
      )

      assert.notInclude(output, 'LEFT')
      assert.equal(code, 3)
      const [, count = ''] = /stdout: (\d+)/.exec(output) ?? []
      assert.isBelow(Number(count), 8)
    })

    test('a fork bomb is ended, and the driver continues', async ({ assert }) => {
      const bomb = await run('(while :; do sleep 1000 & done) & sleep 1000')
      const next = await run('echo next')

      assert.deepInclude(bomb, { reason: 'processes', signal: 'SIGKILL' })
      assert.include(bomb.message, 'limit of 40 processes')
      assert.include(next.output, 'next')
    })

    test('a program that takes more memory than it may is ended, and the driver continues', async ({
      assert,
    }) => {
      const one = await run('dd if=/dev/zero of=/dev/null bs=640M count=1')
      const several = await run(
        'for i in 1 2 3 4; do dd if=/dev/zero bs=96M count=1000 | sleep 1000 & done; wait; sleep 1000'
      )
      const next = await run('echo next')

      assert.deepInclude(one, { reason: 'memory', signal: 'SIGKILL' })
      assert.include(one.message, 'more than 256 MiB')
      assert.deepInclude(several, { reason: 'memory', signal: 'SIGKILL' })
      assert.include(next.output, 'next')
    })

    test('a full /tmp fails the write that does not fit', async ({ assert }) => {
      const { code, reason, output } = await run(
        'dd if=/dev/zero of=/tmp/x bs=1M count=64; rm /tmp/x; echo x > /tmp/y && echo written'
      )

      assert.deepEqual({ code, reason }, { code: 0, reason: undefined })
      assert.include(output, 'No space left on device')
      assert.include(output, 'written')
    })

    test('a program that cannot be found is not started', async ({ assert }) => {
      await assert.rejects(() => start('', { command: ['/bin/missing'] }), ContainerStartFailed)
      await assert.rejects(() => start('', { workingFolder: '/missing' }), ContainerStartFailed)
      assert.isEmpty(containersIn(join(folder, 'run')))
      assert.deepEqual(readdirSync(sockets), ['gateway'])
    })

    test('a folder or a program of the image that leads to what shows the machine is not used', async ({
      assert,
    }) => {
      const root = join(folder, 'root')
      const links = {
        descriptor: '/proc/self/fd/3',
        upwards: '../../../proc/self/fd/3',
        process: '/proc/self',
        devices: '/dev',
        itself: '/proc/self/exe',
        circle: 'circle',
      }
      for (const [place, target] of Object.entries(links)) {
        symlinkSync(target, join(root, place))
      }
      const folders = ['/proc/self/fd/3', '/descriptor', '/upwards', '/process/fd/3', '/devices']
      for (const workingFolder of [...folders, '/proc', '/sys', '/circle', '/tmp/missing']) {
        await assert.rejects(() => start('ls', { workingFolder }), ContainerStartFailed)
      }
      for (const program of ['/itself', './itself', '/process/exe', '/descriptor/self/exe', '']) {
        const changes = { command: [program], workingFolder: '/' }
        await assert.rejects(() => start('', changes), ContainerStartFailed)
      }
      const byPath = { command: ['exe'], variables: { PATH: '/process:/bin' } }
      await assert.rejects(() => start('', byPath), ContainerStartFailed)
    })

    test('folders and programs are found behind links within the image', async ({ assert }) => {
      const root = join(folder, 'root')
      symlinkSync('/opt/code/..', join(root, 'other'))
      symlinkSync('/bin', join(root, 'tools'))
      const { output } = await run('', {
        workingFolder: '/other/code',
        variables: { PATH: '/missing:/tools' },
        command: ['sh', '-c', 'pwd; echo found'],
      })

      assert.include(output, 'stdout: /opt/code')
      assert.include(output, 'stdout: found')
    })

    test('a working folder takes files of a limited size, and what the image has there stays', async ({
      assert,
      cleanup,
    }) => {
      const code = join(folder, 'root', 'opt', 'code')
      mkdirSync(join(code, 'module'))
      writeFileSync(join(code, 'main.py'), 'original\n')
      cleanup(() => {
        rmSync(join(code, 'module'), { recursive: true })
        rmSync(join(code, 'main.py'))
      })
      const { output } = await run(
        [
          'echo 1 > result.csv && mkdir out && cat result.csv',
          '(echo 2 > main.py) 2>/dev/null || cat main.py',
          'rm -f main.py 2>/dev/null || echo kept',
          'touch module/more 2>/dev/null || echo closed',
          'dd if=/dev/zero of=large bs=1024k count=100 2>/dev/null || echo full',
        ].join('; ')
      )

      for (const line of ['1', 'original', 'kept', 'closed', 'full']) {
        assert.include(output.split('\n'), `stdout: ${line}`)
      }
      assert.sameMembers(readdirSync(code), ['main.py', 'module'])
    })

    test('a working folder with a link in it is only read', async ({ assert, cleanup }) => {
      const link = join(folder, 'root', 'opt', 'code', 'link')
      symlinkSync('/etc', link)
      cleanup(() => rmSync(link))
      const { output } = await run('touch result.csv 2>/dev/null || echo closed')

      assert.include(output, 'stdout: closed')
    })

    test('a container ends with its program, whatever that started', async ({ assert }) => {
      const mark = newId()
      const container = await start('setsid sleep 1000 & (sleep 1000 &) ; echo ready; read x', {
        variables: { PATH: '/bin', MARK: mark },
        command: ['/bin/sh', '-c', 'setsid sleep 1000 & (sleep 1000 &) ; echo ready; sleep 1'],
      })
      await container.says('ready')
      const traces = tracesOf(mark)
      const { code } = await container.exited

      assert.equal(code, 0)
      assert.isAtLeast(traces.pids.length, 3)
      assert.isEmpty(remainsOf(mark, traces))
    })

    test('stopping sends SIGTERM, and SIGKILL to what does not end', async ({ assert }) => {
      const polite = await start(
        'trap "echo bye; exit 4" TERM; echo ready; while :; do sleep 0.1; done'
      )
      await polite.says('ready')
      const deaf = await start('trap "" TERM; echo ready; while :; do sleep 1; done')
      await deaf.says('ready')

      assert.deepInclude(await polite.stop(), { code: 4, reason: 'stopped' })
      assert.include(polite.output, 'bye')
      assert.deepInclude(await deaf.stop(100), { signal: 'SIGKILL', reason: 'stopped' })
      assert.deepEqual(await deaf.stop(100), await deaf.exited)
    })

    test('nothing is left of a stopped container, and secrets are in no arguments', async ({
      assert,
    }) => {
      const secret = newId()
      const mark = newId()
      const container = await start('sleep 1000 & sleep 1000 & echo ready; wait', {
        variables: { PATH: '/bin', MARK: mark, TOKEN: secret },
        name: mark,
        inboundSocket: join(sockets, mark),
      })
      await container.says('ready')
      const traces = tracesOf(mark)
      const shown = traces.pids.map((pid) => procFile(pid, 'cmdline')).join('\n')
      await container.stop(0)

      assert.isAtLeast(traces.pids.length, 4)
      assert.isAtLeast(traces.namespaces.size, 6)
      assert.notInclude(shown, secret)
      assert.isEmpty(remainsOf(mark, traces))
      assert.isEmpty(containersIn(join(folder, 'run')))
      assert.deepEqual(readdirSync(sockets), ['gateway'])
    })

    test('several run at once, each with its own gateway', async ({ assert, cleanup }) => {
      const others = await Promise.all(
        ['one', 'two', 'three'].map(async (answer) => {
          const server = createServer((_request, response) => response.end(`${answer}\n`))
          server.listen(join(sockets, `gateway-${answer}`))
          await once(server, 'listening')
          cleanup(() => void server.close())
          await prepare(folder, sockets)
          return answer
        })
      )
      const outputs = await Promise.all(
        others.map(async (answer) => {
          const { output } = await run('wget -q -O - http://127.0.0.1/', {
            gatewaySocket: join(sockets, `gateway-${answer}`),
          })
          return output
        })
      )

      assert.deepEqual(outputs, ['stdout: one', 'stdout: two', 'stdout: three'])
    })
  })
}

/** What a driver keeps of running containers, by the names that they have. */
const containersIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.includes('container-')
  )

async function bodyFrom(socketPath: string, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  get({ socketPath, path }, (response) => {
    let body = ''
    response.on('data', (chunk) => (body += chunk))
    response.on('end', () => resolve(body))
  }).on('error', reject)
  return promise
}
