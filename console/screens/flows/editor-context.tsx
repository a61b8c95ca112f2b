// What every part of the editor needs: the definition, what may be referred to, and how to change it.
import { createContext, useContext } from 'react'
import type { FlowDefinition } from '../../../flow-engine/schema.ts'
import type { Names } from './definition/words.ts'
import type { FlowResources } from './use-resources.ts'

export type Change = (
  edit: (definition: FlowDefinition) => FlowDefinition,
  /** What is being typed in, so that it is undone as one; null: a change of its own. */
  topic?: string | null,
) => void

export type Editor = {
  definition: FlowDefinition
  resources: FlowResources
  names: Names
  isReadOnly: boolean
  /** The language in which forms show texts. */
  language: string
  setLanguage: (language: string) => void
  change: Change
  /** Adds a block to be linked to by the change that follows; returns its id. */
  createBlock: (title: string) => string
  undo: () => void
  redo: () => void
}

const Context = createContext<Editor | null>(null)
export const EditorProvider = Context.Provider

export const useEditor = (): Editor => {
  const editor = useContext(Context)
  if (!editor) throw new Error('useEditor outside of an editor')
  return editor
}
