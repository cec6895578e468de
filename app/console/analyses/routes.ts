import type { PageRoutes } from '#console/page_routes'
import { showAnalyses } from './analyses_page.js'
import { showAnalysis } from './analysis_page.js'
import { commandAnalysis } from './commands.js'
import { downloadFile } from './file_download.js'
import { showFile } from './file_page.js'
import { showFiles } from './files_page.js'
import { showLog } from './log_page.js'
import { streamLog } from './log_stream.js'
import { showTimeline } from './timeline_page.js'

export function analysisRoutes(pages: PageRoutes): void {
  pages
    .page(
      '/analyses',
      'showAnalyses',
      'List the analyses, and what blocks each of them',
      showAnalyses
    )
    .page(
      '/analyses/:id',
      'showAnalysis',
      'Show an analysis with its nodes and commands',
      showAnalysis
    )
    .page(
      '/analyses/:id/timeline',
      'showTimeline',
      'Show the timeline of an analysis',
      showTimeline
    )
    .page('/analyses/:id/log', 'showLog', 'Show the log of an analysis', showLog)
    .stream('/analyses/:id/log/stream', 'streamLog', 'Stream new lines of the log', streamLog)
    .page('/analyses/:id/files', 'showFiles', 'List the files of an analysis', showFiles)
    .page('/analyses/:id/files/:file', 'showFile', 'Show the beginning of a file', showFile)
    .download('/analyses/:id/files/:file/download', 'downloadFile', 'Download a file', downloadFile)
    .action(
      '/analyses/:id/commands/:command',
      'commandAnalysis',
      'Run a command on an analysis',
      commandAnalysis
    )
}
