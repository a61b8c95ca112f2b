import { type DragEvent, useState } from 'react'

/** Takes files dropped on an element: `handlers` are its props, `isDragged` says that files are above it. */
export const useFileDrop = (isAllowed: boolean, onFiles: (files: File[]) => void) => {
  const [isDragged, setDragged] = useState(false)
  const handlers = {
    onDragOver: (event: DragEvent): void => {
      if (!isAllowed || !event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setDragged(true)
    },
    onDragLeave: (): void => setDragged(false),
    onDrop: (event: DragEvent): void => {
      if (event.dataTransfer.files.length === 0) return
      event.preventDefault()
      setDragged(false)
      onFiles([...event.dataTransfer.files])
    },
  }
  return { isDragged, handlers }
}
