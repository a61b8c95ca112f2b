import { serveThread } from '../../platform/serve-thread.ts'
import { type EngineTask, runEngineTask } from './engine-jobs.ts'

serveThread<EngineTask>(runEngineTask)
