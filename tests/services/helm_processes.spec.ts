import { execFile } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { ace } from '#tests/helpers/ace_process'
import { HubProcesses } from '#tests/helpers/hub_processes'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { Researcher, storeMasterImage } from '#tests/helpers/worker/researcher'
import { shellArchive } from '#tests/helpers/worker/shell_archive'
import { GO_MISSING, HAS_GO } from '#tests/services/servers/go_program'
import { Helm, isNamed, manifestsIn, programsOf, type Manifest } from '#tests/services/servers/helm'
import { ensurePackages, PACKAGES } from '#tests/services/servers/packages'
import { startPostgres } from '#tests/services/servers/postgres'
import { startRabbitmq } from '#tests/services/servers/rabbitmq'
import { startRedis } from '#tests/services/servers/redis'

const run = promisify(execFile)

const SET = fileURLToPath(new URL('../../deploy/helm/values/arbitrary-user.yaml', import.meta.url))
const INTERNAL_URL = 'http://analysis-hub:80'
/** Building Helm takes minutes. */
const LIMIT_MS = 3_600_000

/** What differs here: no network of a cluster, and no log store. */
const HERE = {
  HOST: '127.0.0.1',
  HEALTH_HOST: '',
  PORT: '0',
  ADMIN_PORT: '0',
  LOGSTORE_URL: 'http://127.0.0.1:9',
  SKIP_PROJECT_APPROVAL: 'true',
  SKIP_ANALYSIS_APPROVAL: 'true',
}

test.group('The processes of the chart', () => {
  test('build an analysis together, with the settings and secrets that the chart gives them', async ({
    assert,
    cleanup,
  }) => {
    await ensurePackages(PACKAGES.imageTools)
    const folder = await temporaryFolder(cleanup)
    const servers = await Promise.all([startPostgres(), startRabbitmq(), startRedis()])
    cleanup(() => Promise.all(servers.map((server) => server.stop())).then(() => {}))
    const [database, broker, redis] = servers
    const password = randomBytes(24).toString('hex')
    await storeSecrets(folder, {
      DATABASE_URL: database.url,
      AMQP_URL: broker.url,
      REDIS_URL: redis.url,
      IDENTITY_ADMIN_PASSWORD: password,
    })
    const helm = await Helm.open(await temporaryFolder(cleanup))
    const manifests = manifestsIn(await helm.render(SET))
    const variablesOf = (kind: string, component: string, origin = INTERNAL_URL) =>
      variablesHere(manifests, kind, component, { folder, origin })

    const migration = variablesOf('Job', 'migration')
    assert.match(await migrate(migration), /[1-9]\d* migrations ran/)
    assert.match(await migrate(migration), /\b0 migrations ran/)

    const start = async (kind: string, component: string, origin?: string) => {
      const variables = variablesOf(kind, component, origin)
      const program = await HubProcesses.start('server', { variables })
      cleanup(() => program.remove())
      return program
    }
    const hub = await start('Deployment', 'hub')
    await start('Deployment', 'jobs')
    const worker = await start('StatefulSet', 'worker', hub.origin)
    assert.notInclude(worker.output, 'migrations ran')

    const pod = manifests.find(isNamed('Pod', 'analysis-hub-test'))!
    const [script] = pod.spec.containers[0].args as string[]
    const question = script!.replace(INTERNAL_URL, hub.origin)
    const flags = ['--input-type=module', '--eval', question]
    const { stdout } = await run(process.execPath, flags)
    assert.lengthOf(stdout.match(/ 200 /g)!, 5)

    const archive = await shellArchive(folder)
    const imported = await ace(
      ['image:import', archive, '--as=python/base'],
      variablesOf('StatefulSet', 'worker', hub.origin)
    )
    assert.equal(imported.exit, 0, imported.stderr)
    const image = { virtualPath: 'python/base', command: '/bin/sh' }
    const masterImageId = await storeMasterImage(database.url, image)
    const researcher = await Researcher.at(hub.origin, password)
    const files = { 'main.sh': 'echo hello\n' }
    const id = await researcher.analysis(await researcher.project(), masterImageId, files)
    await researcher.lockAndBuild(id)
    const { buildStatus, buildHash } = await researcher.built(id)
    assert.equal(buildStatus, 'executed')
    const named = `oci:${join(folder, 'images')}:incoming/${id}:latest`
    const inspected = await run('skopeo', ['inspect', named])
    assert.equal(JSON.parse(inspected.stdout).Digest, buildHash)
  })
    .timeout(LIMIT_MS)
    .skip(!HAS_GO, GO_MISSING)
})

async function storeSecrets(folder: string, known: Record<string, string>): Promise<void> {
  const path = join(folder, 'secrets')
  await mkdir(path, { mode: 0o700 })
  const random = () => randomBytes(32).toString('hex')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const secrets = {
    APP_KEY: random(),
    CLIENT_SECRET: random(),
    WORKER_CLIENT_SECRET: random(),
    IMAGE_SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    ...known,
  }
  for (const [name, value] of Object.entries(secrets)) {
    await writeFile(join(path, name), value, { mode: 0o600 })
  }
}

async function migrate(variables: Record<string, string>): Promise<string> {
  const { exit, stdout, stderr } = await ace(['hub:migrate'], variables)
  if (exit !== 0) {
    throw new Error(`The migration failed: ${stdout}${stderr}`)
  }
  return stdout
}

interface ClusterStandIn {
  readonly folder: string
  /** Where the service of the chart leads. */
  readonly origin: string
}

/** The variables of a component, with its paths and addresses moved to this machine. */
function variablesHere(
  manifests: readonly Manifest[],
  kind: string,
  component: string,
  { folder, origin }: ClusterStandIn
): Record<string, string> {
  const manifest = manifests.find(isNamed(kind, `analysis-hub-${component}`))!
  const [program] = programsOf(manifest, manifests)
  const moved = Object.entries(program!.variables).map(([name, value]) => [
    name,
    value
      .replace('/run/secrets/analysis-hub', join(folder, 'secrets'))
      .replace(/^\/data$/, join(folder, `data-${component}`))
      .replace(/^\/(files|images)$/, join(folder, '$1'))
      .replace(INTERNAL_URL, origin),
  ])
  return { ...(Object.fromEntries(moved) as Record<string, string>), ...HERE }
}
