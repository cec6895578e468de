import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'
import { parse, stringify } from 'yaml'

import { flatten } from '#configuration/catalogue'
import { catalogue } from '#configuration/hub_catalogue'
import { readConfiguration } from '#configuration/read_configuration'
import { VERSION } from '#kernel/version'
import { MONITORING } from '#tests/helpers/observability/monitoring_files'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { customSchemas } from '#tests/services/servers/custom_schemas'
import { GO_MISSING, goProgram, HAS_GO } from '#tests/services/servers/go_program'
import {
  CHART,
  Helm,
  isNamed,
  manifestsIn,
  podsOf,
  programsOf,
  type ContainerProgram,
  type Manifest,
} from '#tests/services/servers/helm'
import { KUBERNETES_VERSION, kubernetesSchemas } from '#tests/services/servers/kubernetes_schemas'

const run = promisify(execFile)

const KUBECONFORM = { from: 'github.com/yannh/kubeconform/cmd/kubeconform', version: 'v0.8.0' }
const SETS = fileURLToPath(new URL('../../deploy/helm/values/', import.meta.url))
const HANDBOOK = new URL('../../docs/kubernetes.md', import.meta.url)
const NAMES = [
  'air-gapped',
  'arbitrary-user',
  'existing-secrets',
  'external',
  'minimal',
  'three-replicas',
]
/** Building Helm takes minutes. */
const BUILD_LIMIT_MS = 3_600_000
const LIMIT_MS = 300_000

const variables = flatten(catalogue.groups)
const secretNames = Object.keys(variables).filter((name) => variables[name]!.secret)

/** What a secret may contain; all are valid in production. */
const SECRET_VALUES: Record<string, string> = {
  AMQP_URL: 'amqps://hub:not-shown-1@broker',
  REDIS_URL: 'rediss://:not-shown-2@redis',
  HARBOR_URL: 'admin:not-shown-3@harbor.example.org',
}
const secretValue = (name: string): string =>
  SECRET_VALUES[name] ??
  (name.endsWith('DATABASE_URL')
    ? 'postgres://hub:not-shown-4@database/hub'
    : 'not-shown-and-longer-than-32-characters')

/** A set in which everything is given; each refusal changes it. */
const COMPLETE = {
  publicUrl: 'https://hub.example.org',
  trustedProxies: ['10.0.0.0/8'],
  secrets: { existingSecret: 'analysis-hub' },
  logstore: { url: 'http://logs:9428' },
  s3: { endpoint: 'http://s3:9000' },
  networkPolicy: { egress: { rules: [{ ports: [{ port: 443 }] }] } },
}

const REFUSALS: readonly [name: string, change: object, sentence: string][] = [
  [
    'without a public address',
    { publicUrl: '' },
    'publicUrl is missing: set it to the address that people and nodes use, such as https://hub.example.org.',
  ],
  [
    'without a database',
    { secrets: { from: { AMQP_URL: { name: 'mq', key: 'url' } } } },
    'No database: the address of PostgreSQL is missing. Name a Secret that has it in secrets.existingSecret or secrets.from.DATABASE_URL, or set trial.enabled to try the hub without other servers.',
  ],
  [
    'with replicas but without Redis',
    {
      hub: { replicas: 3 },
      secrets: {
        from: Object.fromEntries(
          ['DATABASE_URL', 'AMQP_URL'].map((name) => [name, { name: 'others', key: 'url' }])
        ),
      },
    },
    'No Redis: several processes cannot work together without it. Name a Secret',
  ],
  [
    'without a place for files',
    { s3: {} },
    'No place for files: set s3.endpoint, or files.existingClaim to a volume that all pods can mount.',
  ],
  [
    'with two places for files',
    { files: { existingClaim: 'files' } },
    's3.endpoint and files.existingClaim both say where files are: remove one of them.',
  ],
  [
    'without a log store',
    { logstore: {} },
    'No log store: set logstore.url to your VictoriaLogs; several processes cannot share one in memory.',
  ],
  [
    'with a secret among the settings',
    { settings: { CLIENT_SECRET: 'shown' } },
    'settings.CLIENT_SECRET is a secret, and everybody who sees the release could read it: put it into a Secret, and name that in secrets.existingSecret or secrets.from.CLIENT_SECRET.',
  ],
  [
    'with a variable of the chart among the settings',
    { settings: { JOBS: 'all' } },
    'settings.JOBS is a variable that the chart sets itself: remove it, and use the value of the chart for it.',
  ],
  [
    'with a secret that the hub does not know',
    { secrets: { existingSecret: 'analysis-hub', additional: ['DATABASE_PASSWORD'] } },
    'secrets names DATABASE_PASSWORD, which is no secret of the hub: docs/configuration.md lists those there are.',
  ],
  [
    'with an Ingress and a route for the same host',
    { ingress: { enabled: true }, gateway: { enabled: true, parentRefs: [{ name: 'public' }] } },
    'ingress and gateway would both serve hub.example.org: turn one of them off, or give it another host.',
  ],
  [
    'with a route without a Gateway',
    { gateway: { enabled: true } },
    'gateway.parentRefs is empty: name the Gateway that the route belongs to.',
  ],
  [
    'with proxies that are not trusted',
    { trustedProxies: [], ingress: { enabled: true } },
    'trustedProxies is empty, so all callers behind the ingress or gateway would count as one: set it to the addresses of the proxies, such as 10.0.0.0/8.',
  ],
  [
    'with a trial beside an external part',
    { trial: { enabled: true } },
    'trial.enabled has all parts in one process, and logstore.url names another one: remove it, or set trial.enabled to false.',
  ],
  [
    'with bounds in the wrong order',
    { hub: { autoscaling: { enabled: true, minReplicas: 5, maxReplicas: 2 } } },
    'hub.autoscaling has a minReplicas of 5 above its maxReplicas of 2: lower the one or raise the other.',
  ],
  [
    'with a monitor of metrics that are not served',
    { metrics: { serviceMonitor: { enabled: true } } },
    'metrics.serviceMonitor and metrics.prometheusRule need metrics that are served: set metrics.enabled to true.',
  ],
  [
    'with egress to nowhere',
    { networkPolicy: {} },
    'networkPolicy.egress.restricted without networkPolicy.egress.rules would cut the hub off from its database: add rules for the servers it needs, or set networkPolicy.egress.restricted to false.',
  ],
  [
    'with an ingress that may not reach the hub',
    { ingress: { enabled: true } },
    'networkPolicy.clients is empty, so the ingress or gateway could not reach the hub: name the pods that may,',
  ],
  [
    'with metrics that nobody may read',
    { metrics: { enabled: true } },
    'networkPolicy.monitoring is empty, so nobody could read the metrics: name the pods of Prometheus,',
  ],
  [
    'without what a worker signs with',
    {
      secrets: {
        from: Object.fromEntries(
          [
            ...['DATABASE_URL', 'AMQP_URL', 'REDIS_URL', 'APP_KEY', 'CLIENT_SECRET'],
            ...['IDENTITY_ADMIN_PASSWORD', 'S3_ACCESS_KEY', 'S3_SECRET_KEY'],
          ].map((name) => [name, { name: 'others', key: name }])
        ),
      },
    },
    'No IMAGE_SIGNING_KEY: workers cannot sign images without it (docs/worker.md says how to get it). Name a Secret',
  ],
  ['as root', { podSecurity: { user: 0 } }, "- at '/podSecurity/user': minimum: got 0, want 1"],
  [
    'with a misspelled value',
    { hub: { replica: 3 } },
    "- at '/hub': additional properties 'replica' not allowed",
  ],
  ['with a text as a number', { hub: { replicas: 'three' } }, "- at '/hub/replicas': got string"],
  [
    'with a password in an address',
    { s3: { endpoint: 'http://key:secret@s3:9000' } },
    "- at '/s3/endpoint': ",
  ],
]

test.group('The chart', (group) => {
  let helm: Helm
  const rendered = new Map<string, string>()
  const manifests = (name: string) => manifestsIn(rendered.get(name)!)

  group.setup(async () => {
    let remove = async () => {}
    if (!HAS_GO) {
      return remove
    }
    helm = await Helm.open(await temporaryFolder((callback) => (remove = callback)))
    for (const name of NAMES) {
      rendered.set(name, await helm.render(join(SETS, `${name}.yaml`)))
    }
    return remove
  })
  group.each.timeout(LIMIT_MS)
  group.each.skip(!HAS_GO, GO_MISSING)

  test('the chart has a set of values for each way to install it', async ({ assert }) => {
    assert.sameMembers(
      await readdir(SETS),
      NAMES.map((name) => `${name}.yaml`)
    )
  })

  test('the chart has the version of the project, and its alerts', async ({ assert }) => {
    const chart = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8'))
    assert.deepInclude(chart, { version: VERSION, appVersion: VERSION })
    assert.equal(
      await readFile(join(CHART, 'files/alerts.yaml'), 'utf8'),
      await readFile(`${MONITORING}alerts.yaml`, 'utf8')
    )
  })

  test('explains each value', async ({ assert }) => {
    const lines = (await readFile(join(CHART, 'values.yaml'), 'utf8')).split('\n')
    const isValue = (line: string) => /^ *[a-zA-Z]+:/.test(line)
    // Numbers of a component or a resource explain themselves.
    const isPart = (line: string) => /^ +(requests|limits):/.test(line)
    const unexplained = lines.filter(
      (line, index) => isValue(line) && !isPart(line) && !/^ *# /.test(lines[index - 1] ?? '')
    )
    assert.deepEqual(unexplained, [])
  })

  test('the chart knows every secret of the hub', async ({ assert }) => {
    const text = await readFile(join(CHART, 'templates/_secrets.tpl'), 'utf8')
    const list = /secretVariables" -}}\n(\[[^\]]*\])/.exec(text)![1]!
    assert.sameMembers(JSON.parse(list) as string[], secretNames)
  })

  for (const name of NAMES) {
    test(`the chart passes the strict lint with the set ${name}`, () =>
      helm.lint(join(SETS, `${name}.yaml`)))

    test(`renders the set ${name} twice alike`, async ({ assert }) => {
      assert.equal(await helm.render(join(SETS, `${name}.yaml`)), rendered.get(name))
    })

    test(`the chart shows no secret of the set ${name}, and makes none`, ({ assert }) => {
      const all = manifests(name)
      assert.notInclude(
        all.map(({ kind }) => kind),
        'Secret'
      )
      for (const [variable, value] of all.flatMap(plainVariables)) {
        assert.notInclude(secretNames, variable)
        assert.notMatch(value, /:\/\/[^/]*@/, `${variable} contains a password`)
      }
      assert.notMatch(rendered.get(name)!, /secretKeyRef|secretRef/)
    })

    test(`restricts every pod of the set ${name}`, ({ assert }) => {
      const pods = manifests(name).flatMap(podsOf)
      assert.isNotEmpty(pods)
      for (const pod of pods) {
        assertRestricted(assert, pod, name === 'arbitrary-user')
      }
    })

    test(`the chart gives every process of the set ${name} settings that it starts with`, ({
      assert,
    }) => {
      const programs = manifests(name).flatMap((manifest) => programsOf(manifest, manifests(name)))
      assert.isNotEmpty(programs)
      for (const program of programs) {
        const { warnings } = readConfiguration(catalogue, withSecrets(program))
        assert.deepEqual(warnings, [])
      }
    })

    test(`the chart says what comes next with the set ${name}`, async ({ assert }) => {
      const notes = await helm.notes(join(SETS, `${name}.yaml`))
      assert.include(notes, 'kubectl -n hub rollout status deployment/analysis-hub-hub')
      assert.equal(notes.includes('This is a trial'), name === 'minimal')
      assert.notMatch(notes, /\n\n\n|<no value>/)
    })
  }

  test('the chart makes manifests that Kubernetes takes', async ({ assert, cleanup }) => {
    const folder = await temporaryFolder(cleanup)
    const kubeconform = await goProgram(KUBECONFORM)
    const locations = [await kubernetesSchemas(), await customSchemas()].flatMap((schemas) => [
      '-schema-location',
      join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json'),
    ])
    const check = (at: string) => run(kubeconform, ['-strict', '-summary', ...locations, at])
    for (const [name, text] of rendered) {
      await writeFile(join(folder, `${name}.yaml`), text)
    }
    const { stdout } = await check(folder)
    console.log(
      `kubeconform with the schemas of Kubernetes ${KUBERNETES_VERSION}: ${stdout.trim()}`
    )
    assert.match(stdout, /Invalid: 0, Errors: 0, Skipped: 0$/m)

    for (const word of ['terminationGracePeriodSeconds', 'targetLabel', 'unhealthyPodEviction']) {
      const file = join(folder, 'wrong.yaml')
      await writeFile(file, rendered.get('external')!.replace(word, `wrong${word}`))
      const complaint = await check(file).catch((error: { stdout: string }) => error)
      assert.include(complaint.stdout, `wrong${word}`)
    }
  }).timeout(BUILD_LIMIT_MS)

  test('migrates before an installation and each upgrade, without anything of the release', ({
    assert,
  }) => {
    for (const name of NAMES.filter((each) => each !== 'minimal')) {
      const job = manifests(name).find(({ kind }) => kind === 'Job')!
      assert.deepInclude(job.metadata.annotations, {
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
      })
      const [container] = job.spec.template.spec.containers
      assert.deepEqual(container.args, ['ace', 'hub:migrate'])
      assert.notProperty(container, 'envFrom')
    }
  })

  test('the chart replaces pods without a gap, and gives them time to drain', ({ assert }) => {
    const [hub] = manifests('three-replicas').filter(isNamed('Deployment', 'analysis-hub-hub'))
    assert.equal(hub!.spec.replicas, 3)
    assert.deepEqual(hub!.spec.strategy.rollingUpdate, { maxSurge: 1, maxUnavailable: 0 })
    const pod = hub!.spec.template.spec
    const settings = (component: string) =>
      manifests('three-replicas').find(isNamed('ConfigMap', `analysis-hub-${component}`))!.data!
    assert.equal(settings('hub').DRAIN_DELAY_SECONDS, '5')
    assert.isAbove(pod.terminationGracePeriodSeconds, 28 + 5)
    assert.notProperty(settings('jobs'), 'DRAIN_DELAY_SECONDS')
    assert.lengthOf(pod.topologySpreadConstraints, 2)
  })

  test('the chart gives a worker no more secrets than it needs', ({ assert }) => {
    for (const name of NAMES.filter((each) => each !== 'minimal')) {
      const [worker] = manifests(name).filter(isNamed('StatefulSet', 'analysis-hub-worker'))
      const files: string[] = worker!.spec.template.spec.containers[0].env.map(
        (variable: { name: string }) => variable.name
      )
      assert.sameMembers(files, ['AMQP_URL_FILE', 'IMAGE_SIGNING_KEY', 'WORKER_CLIENT_SECRET_FILE'])
    }
  })

  test('the chart lets only named clients connect to a pod, and a pod only to named servers', ({
    assert,
  }) => {
    for (const name of NAMES) {
      const policy = manifests(name).find(({ kind }) => kind === 'NetworkPolicy')!
      for (const { from } of policy.spec.ingress) {
        assert.isNotEmpty(from, name)
      }
      const isTrial = name === 'minimal'
      assert.deepEqual(policy.spec.policyTypes, isTrial ? ['Ingress'] : ['Ingress', 'Egress'])
    }
  })

  test('the chart lets Prometheus find all pods under the name that the alerts expect', async ({
    assert,
  }) => {
    const all = manifests('external')
    const monitor = all.find(({ kind }) => kind === 'ServiceMonitor')!
    const [endpoint] = monitor.spec.endpoints
    assert.deepInclude(endpoint, { port: 'admin', path: '/metrics' })
    assert.deepInclude(endpoint.relabelings, { targetLabel: 'job', replacement: 'analysis-hub' })
    const rule = all.find(({ kind }) => kind === 'PrometheusRule')!
    const alerts = parse(await readFile(`${MONITORING}alerts.yaml`, 'utf8'))
    assert.deepEqual(rule.spec.groups, alerts.groups)
  })

  test('the chart leads requests from a Gateway to the service, without a limit of time', ({
    assert,
  }) => {
    const route = manifests('three-replicas').find(({ kind }) => kind === 'HTTPRoute')!
    assert.deepEqual(route.spec.hostnames, ['hub.example.org'])
    assert.deepEqual(route.spec.rules[0].backendRefs, [{ name: 'analysis-hub', port: 80 }])
    assert.deepEqual(route.spec.rules[0].timeouts, { request: '0s' })
  })

  for (const [name, change, sentence] of REFUSALS) {
    test(`the chart refuses values ${name}`, async ({ assert, cleanup }) => {
      const file = join(await temporaryFolder(cleanup), 'values.yaml')
      await writeFile(file, stringify({ ...COMPLETE, ...change }))
      const refusal = await helm.render(file).then(
        () => 'It was rendered.',
        ({ stderr }: { stderr: string }) => stderr
      )
      assert.include(refusal, sentence)
    })
  }

  test('the chart answers and refuses as the handbook shows', async ({ assert, cleanup }) => {
    const page = await readFile(HANDBOOK, 'utf8')
    const notes = await helm.notes(join(SETS, 'minimal.yaml'))
    assert.include(page, notes.trim())
    assert.include(page, REFUSALS.find(([name]) => name === 'without a database')![2])

    const [, values] = /```yaml\n *# hub\.yaml\n([^]*?)```/.exec(page)!
    const file = join(await temporaryFolder(cleanup), 'hub.yaml')
    await writeFile(file, values!)
    await helm.render(file)
  })

  test('the chart takes the values that the refused ones are made of', async ({ cleanup }) => {
    const file = join(await temporaryFolder(cleanup), 'values.yaml')
    await writeFile(file, stringify(COMPLETE))
    await helm.render(file)
  })
})

/** The variables that anybody who sees the manifest can read. */
function plainVariables(manifest: Manifest): [string, string][] {
  const inPods = podsOf(manifest)
    .flatMap(({ containers }) => containers)
    .flatMap(({ env = [] }) => env)
    .map(({ name, value }): [string, string] => [name, value])
  return [...inPods, ...(manifest.kind === 'ConfigMap' ? Object.entries(manifest.data!) : [])]
}

/** The variables of a program, with secrets in place of their files. */
function withSecrets(program: ContainerProgram): Record<string, string> {
  const entries = Object.entries(program.variables).map(([name, value]) => {
    const secret = name.replace(/_FILE$/, '')
    return value.startsWith('/run/secrets/analysis-hub/') && secretNames.includes(secret)
      ? [secret, secretValue(secret)]
      : [name, value]
  })
  return Object.fromEntries(entries)
}

/** The restricted level of Pod Security, and more. */
function assertRestricted(assert: any, pod: any, isArbitrary: boolean): void {
  assert.isFalse(pod.automountServiceAccountToken)
  assert.isFalse(pod.enableServiceLinks)
  const { runAsUser, fsGroup, ...rest } = pod.securityContext
  assert.isTrue(rest.runAsNonRoot)
  assert.deepEqual(rest.seccompProfile, { type: 'RuntimeDefault' })
  assert.deepEqual([runAsUser, fsGroup], isArbitrary ? [undefined, undefined] : [65532, 65532])
  for (const { securityContext, resources } of pod.containers) {
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      privileged: false,
      readOnlyRootFilesystem: true,
    })
    assert.properties(resources.limits, ['memory'])
  }
  for (const volume of pod.volumes ?? []) {
    assert.notProperty(volume, 'hostPath')
  }
}
