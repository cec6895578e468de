import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { PROJECT_NODES, PROJECTS } from '#hubctl/kinds/record_collections'
import { realmNames } from '#hubctl/kinds/realm_names'
import { watchable } from '#hubctl/options'
import { parseInterval, watch } from '#hubctl/output/watch'
import { allOf, type Fields } from '#hubctl/platform/pages'
import type { Verdict } from './decision_parts.js'
import {
  decide,
  withDecisionOptions,
  type DecisionTarget,
  type DecisionOptions,
} from './decisions.js'

const PROJECT: DecisionTarget = { subject: PROJECTS, parts: PROJECT_NODES, key: 'projectId' }

interface PendingNode extends Fields {
  readonly id: string
  readonly createdAt: string
  readonly nodeRealmId: string
  readonly node: { readonly name: string }
  readonly project: { readonly name: string }
}

export function projectCommand(): Command {
  return new Command('project')
    .description('decide which nodes take part in projects')
    .addCommand(decisionCommand('approve', 'approved'))
    .addCommand(decisionCommand('reject', 'rejected'))
    .addCommand(
      watchable(
        new Command('pending').description(
          'show the nodes of projects that wait for a decision, and who must decide'
        )
      ).action(perform(showPending))
    )
}

function decisionCommand(name: string, verdict: Verdict): Command {
  const command = new Command(name)
    .description(`${name} a project for the nodes of your realm that wait`)
    .argument('<project>', 'its id or name')
  return withDecisionOptions(command, 'why, in at least 3 characters').action(
    perform((invocation: Invocation<DecisionOptions>, project: string) =>
      decide(invocation, PROJECT, verdict, project)
    )
  )
}

async function showPending(invocation: Invocation<{ watch?: string | boolean }>) {
  const { options, output } = invocation
  const api = await invocation.api()
  const realm = await realmNames(api)
  return watch(parseInterval(options.watch), async () => {
    const parts = await allOf<PendingNode>(api, PROJECT_NODES.service, PROJECT_NODES.path, {
      query: [
        ['filter', 'eq(approvalStatus,null)'],
        ['include', 'node,project'],
      ],
    })
    const rows = parts.map(({ id, createdAt, node, project, nodeRealmId }) => ({
      id,
      project: project.name,
      node: node.name,
      realm: realm(nodeRealmId),
      createdAt,
    }))
    output.records(rows, {
      kind: PROJECT_NODES.name,
      columns: ['project', 'node', 'realm', 'createdAt'],
      nothing: 'No node of any project waits for a decision.',
    })
  })
}
