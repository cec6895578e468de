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
    .page('/analyses', 'showAnalyses', 'The analyses, and what blocks them', showAnalyses)
    .page('/analyses/:id', 'showAnalysis', 'One analysis', showAnalysis)
    .page('/analyses/:id/timeline', 'showTimeline', 'What happened to an analysis', showTimeline)
    .page('/analyses/:id/log', 'showLog', 'The log of an analysis', showLog)
    .stream('/analyses/:id/log/stream', 'streamLog', 'New lines of the log', streamLog)
    .page('/analyses/:id/files', 'showFiles', 'The files of an analysis', showFiles)
    .page('/analyses/:id/files/:file', 'showFile', 'The beginning of a file', showFile)
    .download('/analyses/:id/files/:file/download', 'downloadFile', 'A file', downloadFile)
    .action(
      '/analyses/:id/commands/:command',
      'commandAnalysis',
      'Give a command to an analysis',
      commandAnalysis
    )
}
