/**
 * Asks a real kube-apiserver what it would do with all objects of the chart, with each set of values, in a namespace at the
 * restricted level of Pod Security, and has Helm install and remove each. The first run builds the server, which takes
 * many minutes.
 */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { podsMadeOf } from '#tests/drills/cluster/pods'
import {
  clusterObject,
  inNamespace,
  NAMESPACES,
  prepareCluster,
} from '#tests/drills/cluster/prepared_cluster'
import { refusals } from '#tests/drills/cluster/refusals'
import { releaseProblems } from '#tests/drills/cluster/releases'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { Helm, manifestsIn, type Manifest } from '#tests/services/servers/helm'
import { KUBERNETES_VERSION } from '#tests/services/servers/kubernetes_schemas'
import type { ServerObject } from '#tests/services/servers/kubernetes_client'
import { report, type Finding } from './report.js'

const SETS = fileURLToPath(new URL('../../deploy/helm/values/', import.meta.url))

await using cleanup = new AsyncDisposableStack()
const cluster = await prepareCluster()
const { client } = cluster
cleanup.defer(() => cluster.server.stop())
const helm = await Helm.open(await temporaryFolder((step) => cleanup.defer(step)))
const found = await refusals(client)
for (const file of await readdir(SETS)) {
  const set = basename(file, '.yaml')
  const values = join(SETS, file)
  const manifests = manifestsIn(await helm.render(values))
  found.push(...(await dryRuns(set, manifests)), {
    what: `${set}: Helm installs it, upgrades it, takes it back and removes it`,
    problems: await releaseProblems({ cluster, helm, values, manifests }),
  })
}
report(`The chart at kube-apiserver ${KUBERNETES_VERSION}`, found)

async function dryRuns(set: string, manifests: readonly Manifest[]): Promise<Finding[]> {
  const objects = manifests.map((manifest) => inNamespace(NAMESPACES.dryRuns, manifest))
  const pods = objects.flatMap(podsMadeOf)
  await Promise.all(requirementsOf(objects, pods).map((object) => client.apply(object)))
  const answers = await Promise.all([...objects, ...pods].map(dryRun))
  const kinds = new Set(objects.map(({ kind }) => kind))
  return [
    {
      what: `${set}: ${objects.length} objects of ${kinds.size} kinds are accepted, and so are pods made of them (${pods.length})`,
      problems: answers.flatMap(({ name, refusal }) => (refusal ? [`${name}: ${refusal}`] : [])),
    },
    {
      what: `${set}: without a warning of Pod Security, or any other`,
      problems: answers.flatMap(({ name, warnings }) => warnings.map((text) => `${name}: ${text}`)),
    },
  ]
}

/** What must exist before a pod is accepted: its account, and the priority that the administrators of a cluster define. */
function requirementsOf(
  objects: readonly ServerObject[],
  pods: readonly ServerObject[]
): ServerObject[] {
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount')
  const names = new Set<string>(pods.flatMap(({ spec }) => spec.priorityClassName ?? []))
  const priorities = [...names].map((name) => ({
    ...clusterObject('scheduling.k8s.io/v1', 'PriorityClass', name),
    value: 1_000,
  }))
  return [...accounts, ...priorities]
}

async function dryRun(object: ServerObject) {
  return { name: `${object.kind} ${object.metadata.name}`, ...(await client.dryRun(object)) }
}
