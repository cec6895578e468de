import { Command } from 'commander'

import { perform, type Invocation } from '#hubctl/invocation'
import { ANALYSES, ANALYSIS_NODES } from '#hubctl/kinds/record_collections'
import { withDryRun, watchable, wholeNumber } from '#hubctl/options'
import { ANALYSIS_COMMANDS, type AnalysisCommand } from '#hubctl/platform/analysis_commands'
import { commandAnalysis } from './analysis_command.js'
import { chooseEntrypoint } from './analysis_entrypoint.js'
import { explain } from './analysis_explain.js'
import { contentDigest, showFile, showFiles } from './analysis_files.js'
import { showLogs } from './analysis_logs.js'
import { showStuck } from './analysis_stuck.js'
import { showTimeline } from './analysis_timeline.js'
import { showTrace } from './analysis_trace.js'
import { changesSinceDecision } from './changes_since_decision.js'
import type { Verdict } from './decision_parts.js'
import {
  decide,
  withDecisionOptions,
  type DecisionTarget,
  type DecisionOptions,
} from './decisions.js'
import { runCommand } from '#hubctl/commands/analysis_run/run'
import { rotateCredentialsCommand } from './rotate_credentials.js'

const ANALYSIS: DecisionTarget = {
  subject: ANALYSES,
  parts: ANALYSIS_NODES,
  key: 'analysisId',
  changesOf: changesSinceDecision,
  contentOf: contentDigest,
}

export function analysisCommand(): Command {
  const command = new Command('analysis')
    .description('take analyses from their configuration to their nodes, and see what blocks them')
    .addCommand(runCommand())
    .addCommand(
      withDryRun(
        analysisArgument(
          new Command('entrypoint').description('choose the file of its code that it starts with')
        )
      )
        .argument('<path>', 'a file in code@<analysis>')
        .action(perform(chooseEntrypoint))
    )
    .addCommand(
      analysisArgument(
        new Command('files').description('list the files that its nodes decide about')
      ).action(perform(showFiles))
    )
    .addCommand(
      analysisArgument(
        new Command('show-file').description('show one of these files, or write it to a file')
      )
        .argument('<path>', 'a file of its code')
        .option('--to <file>', 'write it there as it is')
        .action(perform(showFile))
    )
    .addCommand(decisionCommand('approve', 'approved'))
    .addCommand(decisionCommand('reject', 'rejected'))
  for (const apiCommand of Object.keys(ANALYSIS_COMMANDS) as AnalysisCommand[]) {
    command.addCommand(orderCommand(apiCommand))
  }
  return command
    .addCommand(
      watchable(
        analysisArgument(
          new Command('explain').description('show what blocks it, and who must act')
        )
      ).action(perform(explain))
    )
    .addCommand(
      watchable(
        new Command('stuck').description(
          'list builds and distributions that failed, or whose worker is silent'
        )
      ).action(perform(showStuck))
    )
    .addCommand(
      analysisArgument(new Command('timeline').description('show its history, newest first'))
        .option('-l, --limit <count>', 'number of entries', wholeNumber, 50)
        .action(perform(showTimeline))
    )
    .addCommand(
      analysisArgument(
        new Command('logs').description('show its log lines, of the whole and of its nodes')
      )
        .option('-n, --node <node>', 'only of this node')
        .option('-l, --limit <count>', 'number of the newest lines', wholeNumber, 100)
        .option('-f, --follow', 'also new lines as they arrive, until Ctrl-C')
        .action(perform(showLogs))
    )
    .addCommand(
      analysisArgument(
        new Command('trace').description('show its builds, distributions and runs, step by step')
      )
        .option('-l, --limit <count>', 'number of the newest log lines to read', wholeNumber, 1000)
        .action(perform(showTrace))
    )
    .addCommand(rotateCredentialsCommand(ANALYSES))
}

function analysisArgument(command: Command): Command {
  return command.argument('<analysis>', 'its id or name')
}

function orderCommand(apiCommand: AnalysisCommand): Command {
  const { name, description } = ANALYSIS_COMMANDS[apiCommand]
  return withDryRun(analysisArgument(new Command(name).description(description))).action(
    perform((invocation: Invocation, analysis: string) =>
      commandAnalysis(invocation, apiCommand, analysis)
    )
  )
}

function decisionCommand(name: string, verdict: Verdict): Command {
  const command = analysisArgument(
    new Command(name).description(`${name} its content for the nodes of your realm that wait`)
  )
  command.option(
    '-d, --digest <digest>',
    'of the reviewed content; fails if the content has changed'
  )
  return withDecisionOptions(command).action(
    perform((invocation: Invocation<DecisionOptions>, analysis: string) =>
      decide(invocation, ANALYSIS, verdict, analysis)
    )
  )
}
