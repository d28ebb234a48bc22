"""The comparison floor: a few lines of aiohttp that only pass bytes on."""

import asyncio
import sys
from typing import Any

import aiohttp
from aiohttp import web


async def main(upstream: str) -> None:
    session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), auto_decompress=False)

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        kept: Any = {"Content-Type": request.headers.get("Content-Type", "application/json")}
        url = upstream + request.raw_path
        async with session.request(request.method, url, data=body, headers=kept) as answer:
            response = web.StreamResponse(status=answer.status)
            response.content_type = answer.content_type
            if answer.content_length is not None:
                response.content_length = answer.content_length
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await session.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
