// Workers as processes of their own, to be killed in the middle of what they do.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { TEST_SECRET_KEY } from '../../../test/app.ts'
import type { DeliveryTiming } from '../delivery-timing.ts'

const WORKER = new URL('./worker-process.ts', import.meta.url).pathname

/** Ready when it returns; killed at the latest when the tests of the file are over. */
export const startKillable = async (
  connectionString: string,
  timing: Partial<DeliveryTiming> = {},
  /** Of stored files. */
  folder?: string,
): Promise<ChildProcess> => {
  const child = spawn(
    process.execPath,
    [WORKER, connectionString, TEST_SECRET_KEY, JSON.stringify(timing), ...(folder ? [folder] : [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  after(() => child.kill('SIGKILL'))
  await once(child.stdout!, 'data')
  return child
}

export const kill = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGKILL')
  await once(child, 'exit')
}
