// What the thread does. The libraries are loaded here and nowhere else.

import { type ReadProblem, Unreadable } from './problem.ts'
import { type FileTask, type FileTexts, readFile } from './read-file.ts'
import { type PageTask, type PageText, readPage } from './read-page.ts'

export type ExtractTask = FileTask | PageTask
export type ExtractResult = PageText | FileTexts | { problem: ReadProblem }

export const extract = async (task: ExtractTask): Promise<ExtractResult> => {
  try {
    return task.job === 'page' ? readPage(task) : await readFile(task)
  } catch (error) {
    if (error instanceof Unreadable) return { problem: { code: error.code, message: error.message } }
    throw error
  }
}
