import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'

import { test } from '@japa/runner'
import { parse } from 'yaml'

import { flatten } from '#configuration/catalogue'
import { catalogue } from '#configuration/hub_catalogue'
import { readConfiguration } from '#configuration/read_configuration'
import { fileVariable } from '#configuration/secret_files'
import { runConfig } from '#image/run_config'
import { temporaryFolder } from '#tests/helpers/temporary_folder'

const run = promisify(execFile)
const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))
const MOUNTED = '/run/secrets/'
const OWN = /^\$\{HUB_IMAGE/
const PINNED = /^[a-z0-9.-]+\.[a-z]+\/[a-z0-9./-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$/
/** A process ends itself after 28 seconds at most. */
const DRAINED_SECONDS = 30
/** Fails for the first check of a hub, which is not ready at once. */
const FAKE_COMPOSE = `#!/bin/sh
echo "$*" >> calls
case "$*" in
  *worker:secret*) echo "made for $8" ;;
  *hub-1*health.js) [ -e checked ] || { touch checked; exit 1; } ;;
esac
`
/** What the hub writes for the worker when it is first started. */
const SHOWN = ['./compose/Caddyfile', './rabbitmq/worker-account']
const OF_HUB = ['IMAGE_SIGNING_KEY', 'WORKER_CLIENT_SECRET']
const INTERPOLATED = /\$\{(\w+):?[-?]?([^}]*)\}/g

interface Service {
  readonly image: string
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly secrets?: string[]
  readonly ports?: string[]
  readonly networks: string[]
  readonly read_only: boolean
  readonly cap_drop: string[]
  readonly cap_add?: string[]
  readonly security_opt: string[]
  readonly restart: string
  readonly stop_grace_period?: string
  readonly volumes?: string[]
  readonly depends_on?: Record<string, { condition: string }>
}

interface ComposeFile {
  readonly services: Record<string, Service>
  readonly secrets: Record<string, { readonly file: string }>
  readonly networks: Record<string, { readonly internal?: boolean } | null>
  readonly volumes: Record<string, null>
}

const variables = flatten(catalogue.groups)
const secretNames = Object.keys(variables).filter((name) => variables[name]!.secret)

test.group('The file of Compose', () => {
  test('the file names variables that the hub knows, and shows no secret in them', async ({
    assert,
  }) => {
    const { services } = await composeFile()
    const known = [...Object.keys(variables), ...secretNames.map(fileVariable)]
    for (const [name, service] of Object.entries(services)) {
      const given = Object.entries(service.environment ?? {})
      if (OWN.test(service.image)) {
        assert.includeMembers(known, Object.keys(service.environment!), name)
      }
      for (const [variable, value] of given) {
        assert.notInclude(secretNames, variable, name)
        if (/SECRET|PASS|KEY|TOKEN/.test(variable)) {
          assert.isTrue(value.startsWith(MOUNTED), `${name}: ${variable}`)
        }
        if (value.startsWith(MOUNTED)) {
          assert.include(service.secrets, value.slice(MOUNTED.length), `${name}: ${variable}`)
        }
      }
    }
  })

  test('the file shows the worker no secret of the hub', async ({ assert }) => {
    const { services } = await composeFile()
    const ofHub = services['hub-1']!.secrets!
    assert.isEmpty(services.worker!.secrets!.filter((name) => ofHub.includes(name)))
    assert.equal(services.worker!.environment!.WORKER_CLIENT_ID, 'worker')
  })

  test('the file reads every secret from a file', async ({ assert }) => {
    const { services, secrets } = await composeFile()
    const used = Object.values(services).flatMap((service) => service.secrets ?? [])
    assert.sameMembers(Object.keys(secrets), [...new Set(used)])
    for (const [name, { file }] of Object.entries(secrets)) {
      assert.equal(file, `./compose/secrets/${name}`)
    }
  })

  test('pins the images of others, and confines every container', async ({ assert }) => {
    const { services, networks, volumes } = await composeFile()
    for (const [name, service] of Object.entries(services)) {
      assert.isTrue(OWN.test(service.image) || PINNED.test(service.image), service.image)
      assert.isTrue(service.read_only, name)
      assert.deepEqual(service.cap_drop, ['ALL'], name)
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
      assert.isDefined(service.restart, name)
      assert.equal(service.ports !== undefined, name === 'proxy', name)
      assert.equal(service.cap_add !== undefined, name === 'proxy', name)
      assert.includeMembers(Object.keys(networks), service.networks, name)
      const named = (service.volumes ?? []).map((volume) => volume.split(':')[0]!)
      assert.includeMembers([...Object.keys(volumes), ...SHOWN], named, name)
    }
    assert.isTrue(networks.inside?.internal)
    for (const name of ['postgres', 'rabbitmq', 'redis', 'files', 'logs', 'migration']) {
      assert.deepEqual(services[name]!.networks, ['inside'], name)
    }
    for (const hub of ['hub-1', 'hub-2']) {
      const { condition } = services[hub]!.depends_on!.migration!
      assert.equal(condition, 'service_completed_successfully')
    }
  })

  test('the file lets a hub serve until the proxy knows that it stops, and end', async ({
    assert,
  }) => {
    const { services } = await composeFile()
    const proxy = await readFile(join(DEPLOY, 'compose/Caddyfile'), 'utf8')
    const checkedEvery = Number(/health_interval (\d+)s/.exec(proxy)![1])
    for (const name of ['hub-1', 'hub-2']) {
      const { environment, stop_grace_period: grace } = services[name]!
      const delay = Number(environment!.DRAIN_DELAY_SECONDS)
      assert.isAtLeast(delay, 3 * checkedEvery, name)
      assert.isAtLeast(Number.parseInt(grace!), delay + DRAINED_SECONDS, name)
      assert.include(proxy, `${name}:3000`)
    }
  })

  test('the file is started one hub after the other, which leaves the proxy as it is', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const compose = join(folder, 'fake')
    await mkdir(join(folder, 'compose'))
    await copyFile(join(DEPLOY, 'compose/up'), join(folder, 'compose/up'))
    await writeFile(compose, FAKE_COMPOSE, { mode: 0o755 })
    const env = { ...process.env, COMPOSE: compose }
    const up = () => run('/bin/sh', [join(folder, 'compose/up')], { env })
    await assert.rejects(up, /make-secrets once more/)
    await mkdir(join(folder, 'compose/secrets'))
    await writeFile(join(folder, 'compose/secrets/WORKER_AMQP_URL'), 'amqp://worker')
    await up()
    for (const name of OF_HUB) {
      const file = join(folder, 'compose/secrets', name)
      assert.equal(await readFile(file, 'utf8'), `made for ${name}\n`)
      assert.equal((await stat(file)).mode & 0o777, 0o444)
    }
    const calls = (await readFile(join(folder, 'calls'), 'utf8')).trim().split('\n')
    assert.deepEqual(calls.map((call) => call.replace(/ \/usr\/local.*/, ' health')).slice(3), [
      'exec -T rabbitmq /bin/sh -c worker-account < /run/secrets/WORKER_AMQP_PASSWORD',
      'run --rm -T --no-deps migration',
      'run --rm -T --no-deps migration ace worker:secret IMAGE_SIGNING_KEY',
      'run --rm -T --no-deps migration ace worker:secret WORKER_CLIENT_SECRET',
      'up -d --no-deps hub-1',
      'exec -T hub-1 health',
      'exec -T hub-1 health',
      'up -d --no-deps hub-2',
      'exec -T hub-2 health',
      'up -d --no-deps worker',
      'exec -T worker health',
    ])
    assert.lengthOf(
      calls.filter((call) => call.includes('proxy')),
      1
    )
  })

  test('the file starts the programs in production with what make-secrets writes', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    await makeSecrets(folder, 'https://hub.example.org:8443', 'admin@example.org')
    const values = parseEnv(await readFile(join(folder, '.env'), 'utf8'))
    assert.deepEqual(values, {
      PUBLIC_URL: 'https://hub.example.org:8443',
      ACME_EMAIL: 'admin@example.org',
      HUB_IMAGE: 'localhost/analysis-hub:0.1.0',
      HTTP_PORT: '80',
      HTTPS_PORT: '8443',
    })
    const { services } = await composeFile()
    const secrets = join(folder, 'compose/secrets/')
    await writeFile(join(secrets, 'WORKER_CLIENT_SECRET'), 'a'.repeat(43))
    for (const [name, service] of Object.entries(services)) {
      if (OWN.test(service.image)) {
        const source = sourceOf(service, values as Record<string, string>, secrets)
        const { secretsInEnvironment } = readConfiguration(catalogue, source)
        assert.deepEqual(secretsInEnvironment, [], name)
      }
    }
  })

  test('the file gets secrets of their own, which a second call does not change', async ({
    assert,
    cleanup,
  }) => {
    const folder = await temporaryFolder(cleanup)
    const other = await temporaryFolder(cleanup)
    await makeSecrets(folder, 'https://hub.example.org', 'admin@example.org')
    await makeSecrets(other, 'https://hub.example.org', 'admin@example.org')
    const before = await secretsIn(folder)
    const others = await secretsIn(other)
    const { secrets } = await composeFile()
    assert.sameMembers([...Object.keys(before), ...OF_HUB], Object.keys(secrets))
    for (const [name, value] of Object.entries(before)) {
      assert.notEqual(value, others[name], name)
      assert.match(value, /[\da-f]{64}/, name)
    }
    assert.equal((await stat(join(folder, 'compose/secrets'))).mode & 0o777, 0o700)
    await makeSecrets(folder, 'https://other.example.org', 'other@example.org')
    assert.deepEqual(await secretsIn(folder), before)
    assert.include(await readFile(join(folder, '.env'), 'utf8'), 'https://hub.example.org')
  })

  test('the file refuses addresses that the proxy cannot serve', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const refused = [
      ['http://hub.example.org', 'admin@example.org'],
      ['https://hub.example.org/hub', 'admin@example.org'],
      ['https://hub.example.org', 'nobody'],
    ] as const
    for (const [url, email] of refused) {
      await assert.rejects(() => makeSecrets(folder, url, email), /no address|begin with https/)
    }
    assert.deepEqual(await readdir(join(folder, 'compose')), ['make-secrets'])
  })
})

async function composeFile(): Promise<ComposeFile> {
  return parse(await readFile(join(DEPLOY, 'compose.yaml'), 'utf8'), { merge: true }) as ComposeFile
}

async function makeSecrets(folder: string, url: string, email: string): Promise<void> {
  const script = join(folder, 'compose/make-secrets')
  await mkdir(join(folder, 'compose'), { recursive: true })
  await copyFile(join(DEPLOY, 'compose/make-secrets'), script)
  await run('/bin/sh', [script, url, email])
}

async function secretsIn(folder: string): Promise<Record<string, string>> {
  const secrets = join(folder, 'compose/secrets')
  const names = await readdir(secrets)
  const entries = names.map(async (name) => [name, await readFile(join(secrets, name), 'utf8')])
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>
}

/** The variables of a container: those of the image, of its role, and of the file. */
function sourceOf(
  { command, environment }: Service,
  values: Record<string, string>,
  secrets: string
): Record<string, string> {
  const facts = { version: '1.0.0', commit: { id: '', at: new Date(), isModified: false } }
  const image = runConfig({ ...facts, hasDatabase: false }) as { Env: string[] }
  const role = command![0] === 'worker' ? { SURFACES: 'none', JOBS: 'worker' } : {}
  const given = Object.entries(environment!).map(([name, value]) => [
    name,
    value
      .replace(INTERPOLATED, (_, variable: string) => values[variable]!)
      .replace(MOUNTED, secrets),
  ])
  return {
    ...parseEnv(image.Env.join('\n')),
    ...role,
    ...(Object.fromEntries(given) as Record<string, string>),
  } as Record<string, string>
}
