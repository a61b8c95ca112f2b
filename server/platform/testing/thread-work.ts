// A thread that does as it is told.
import { serveThread } from '../serve-thread.ts'

serveThread<{ do: 'answer' | 'loop' | 'throw' | 'exit'; value?: number }>((task) => {
  if (task.do === 'throw') throw new Error('as told')
  if (task.do === 'exit') process.exit(1)
  while (task.do === 'loop');
  return (task.value ?? 0) * 2
})
