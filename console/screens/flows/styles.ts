// The stylesheet of these screens. The console has one stylesheet, which every page loads; this one is loaded with the
// editor, so that the first load grows by nothing.
import href from '../../ui/flows.css?url'

let loading: Promise<void> | undefined

/** Resolves once it applies, and also if it can't be loaded: the screens then look plain, but work. */
export const loadStyles = (): Promise<void> => {
  loading ??= new Promise((resolve) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.onload = () => resolve()
    link.onerror = () => resolve()
    document.head.append(link)
  })
  return loading
}
