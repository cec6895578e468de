/* Serves the same store twice: by the platform's pipelines, and by the least that Node.js needs for the same copies. */
import '@poppinss/ts-exec'

const { serve } = await import('./storage_routes.ts')
await serve(Number(process.env.PORT))
process.send('ready')
