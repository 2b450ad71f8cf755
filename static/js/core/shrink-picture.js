// Makes a photo smaller. This module is also the worker that does it, so that typing goes on meanwhile.
const QUALITY = 0.9
const STEP = 0.7 // from one attempt to the next
const SIDE_MIN = 640 // pixels
const HEAD = 1_048_576 // bytes in which an animation says that it is one

// Return a file of at most so many bytes and pixels a side, null for an animation or a picture that cannot be drawn.
export function shrink(file, maxBytes, maxSide) {
  const worker = new Worker(import.meta.url, { type: "module" })
  const result = new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data && new File([data], file.name, data))
    worker.onerror = reject
  })
  worker.postMessage({ file, maxBytes, maxSide })
  return result.finally(() => worker.terminate())
}

async function redraw({ file, maxBytes, maxSide }) {
  if (await isAnimated(file)) return null
  const picture = await createImageBitmap(file) // upright, as its EXIF orientation says
  const type = file.type === "image/jpeg" ? file.type : "image/webp" // which may be transparent
  for (let side = maxSide; side >= SIDE_MIN; side *= STEP) {
    const scale = Math.min(side / Math.max(picture.width, picture.height), 1)
    const [width, height] = [picture.width, picture.height].map(one => Math.round(one * scale) || 1)
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext("2d")
    context.imageSmoothingQuality = "high"
    context.drawImage(picture, 0, 0, width, height)
    const blob = await canvas.convertToBlob({ type, quality: QUALITY })
    if (blob.size <= maxBytes) return blob
  }
  return null
}

async function isAnimated(file) {
  const head = new Uint8Array(await file.slice(0, HEAD).arrayBuffer())
  const text = new TextDecoder("latin1").decode(head)
  if (text.startsWith("VP8X", 12)) return Boolean(head[20] & 2)
  return file.type === "image/png" && /acTL|IDAT/.exec(text)?.[0] === "acTL"
}

if (!self.document) {
  self.onmessage = async ({ data }) => self.postMessage(await redraw(data).catch(() => null))
}
