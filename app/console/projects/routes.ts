import type { PageRoutes } from '#console/page_routes'
import { showProject } from './project_page.js'
import { showProjects } from './projects_page.js'

export function projectRoutes(pages: PageRoutes): void {
  pages
    .page('/projects', 'showProjects', 'List the projects', showProjects)
    .page('/projects/:id', 'showProject', 'Show a project with its nodes and analyses', showProject)
}
