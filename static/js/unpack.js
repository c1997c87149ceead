/**
 * Where a page that was taken away begins: unpack its modules, name them in an import map, start the first.
 * It stands in that page as an ordinary script, for an import map must come before every module.
 */
(async () => {
  const part = (id) => document.getElementById(id);
  try {
    const bytes = Uint8Array.from(atob(part("packed").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const { map, start, words } = JSON.parse(await new Response(stream).text());
    const element = document.createElement("script");
    element.type = "importmap";
    element.textContent = map;
    document.head.append(element);
    (await import(start)).openTaken(words, JSON.parse(part("run").textContent));
  } catch (error) {
    part("too-old").hidden = false;
    throw error;
  }
})();
