import type { KubernetesClient, ServerObject } from '#tests/services/servers/kubernetes_client'
import type { Finding } from '#tests/drills/report'
import { clusterObject, inNamespace, NAMESPACES } from './prepared_cluster.js'

const containers = [{ name: 'main', image: 'registry.example.org/main' }]

const objectOf = (apiVersion: string, kind: string, name: string): ServerObject =>
  inNamespace(NAMESPACES.dryRuns, clusterObject(apiVersion, kind, name))

const unrestrictedPod = { ...objectOf('v1', 'Pod', 'unrestricted'), spec: { containers } }

const deployment = (spec: object): ServerObject => ({
  ...objectOf('apps/v1', 'Deployment', 'unrestricted'),
  spec: {
    selector: { matchLabels: { app: 'one' } },
    template: { metadata: { labels: { app: 'one' } }, spec: { containers } },
    ...spec,
  },
})

const route = (spec: object): ServerObject => ({
  ...objectOf('gateway.networking.k8s.io/v1', 'HTTPRoute', 'wrong'),
  spec,
})

/** Shows that the server refuses and warns, so that its silence about the chart says something. */
export async function refusals(client: KubernetesClient): Promise<Finding[]> {
  const [pod, workload, unknown, custom] = await Promise.all(
    [
      unrestrictedPod,
      deployment({}),
      deployment({ replica: 3 }),
      route({ hostnames: ['not a name'] }),
    ].map((object) => client.dryRun(object))
  )
  return [
    found('the server refuses a pod without restrictions', pod!.refusal, /violates PodSecurity/),
    found('it warns of a Deployment of such pods', workload!.warnings[0], /violate PodSecurity/),
    found(
      'it refuses a field that it does not know',
      unknown!.refusal,
      /field not declared|unknown field/
    ),
    found('it refuses a wrong route of the Gateway API', custom!.refusal, /spec\.hostnames/),
  ]
}

const found = (what: string, text: string | undefined, expected: RegExp): Finding => ({
  what,
  problems: expected.test(text ?? '') ? [] : [`It said: ${text ?? 'nothing'}`],
})
